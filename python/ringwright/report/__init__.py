"""Building blocks of reports: one self-contained HTML page, charts as SVG, pictures as PNG.

Nothing here knows what is reported; applications bring the content. Every number goes through
`page.number`, which puts its provenance beside it.
"""
