"""The book: Markdown pages, rendered by Sphinx."""

project = "Ringwright"
extensions = ["myst_parser", "sphinx.ext.autodoc"]
html_theme = "furo"
html_title = "Ringwright"
myst_heading_anchors = 3
exclude_patterns = ["_build"]
# Docstrings put code in single backticks, as the comments in Rust do.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}
