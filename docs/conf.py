"""The book: Markdown pages, rendered by Sphinx."""

project = "Ringwright"
extensions = ["myst_parser"]
html_theme = "furo"
html_title = "Ringwright"
myst_heading_anchors = 3
exclude_patterns = ["_build"]
