"""Sphinx settings: Markdown by MyST, formulas as MathML, a theme with search and a dark side, no network."""

import runpy
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "Jourdain"
author = "The Jourdain developers"
copyright = "2026, The Jourdain developers"
release = runpy.run_path(str(Path(__file__).parent.parent / "src" / "jourdain" / "version.py"))["__version__"]
version = release

extensions = ["myst_parser", "mathml", "motions", "key_links", "sphinx_copybutton"]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath", "deflist", "colon_fence"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "nacf-table.md"]
html_extra_path = ["schema"]
numfig = True

html_theme = "furo"
html_title = f"Jourdain {release}"
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["formulas.css"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
