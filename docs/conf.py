"""Sphinx settings: Markdown by MyST, formulas by MathJax, the theme that comes with Sphinx."""

import runpy
from pathlib import Path

project = "Jourdain"
author = "The Jourdain developers"
copyright = "2026, The Jourdain developers"
release = runpy.run_path(str(Path(__file__).parent.parent / "src" / "jourdain" / "version.py"))["__version__"]
version = release

extensions = ["myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "nacf-table.md"]
html_extra_path = ["schema"]
numfig = True

html_theme = "alabaster"
html_title = f"Jourdain {release}"
html_show_sourcelink = False
html_theme_options = {
    "description": "Mechanisms in the plane and in space, closed loops included",
    "fixed_sidebar": True,
    "page_width": "1080px",
    "sidebar_width": "230px",
    "body_max_width": "800px",
}
