"""Sphinx's settings for the web site of the manual; ``manual_site.py`` adds those of each language."""

extensions = ["myst_parser"]
project = "CDB Desktop"
copyright = "the CDB Desktop authors"  # noqa: A001  # Sphinx's name
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_last_updated_fmt = None
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "languages.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
myst_heading_anchors = 3
