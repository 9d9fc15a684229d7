"""Names of kinds and of sections of files, wherever they stand as code, lead to their keys in the file reference."""

from __future__ import annotations

from typing import Any

from docutils import nodes

from jourdain.library import TYPES
from jourdain.library.joints import KINDS

REFERENCE = "file-reference"
SECTIONS = ("ground", "bodies", "events", "types", "subsystems", "motions", "joints", "relations", "forces", "elements")
# Words that mean something else as often: channels, actions of events, choices.
WORDS = {
    "force",
    "torque",
    "stop",
    "motion",
    "element",
    "equation",
    "coupling",
    "law",
    "custom",
    "distance",
    "parallel",
}
WORDS |= {"perpendicular", "planar", "wheel", "spring", "drag"}


def places() -> dict[str, str]:
    """Where on the page each name is explained."""
    singular = {"forces": "force", "relations": "relation", "elements": "element"}
    found = {name: name for name in SECTIONS}
    found |= {kind.name: f"joint-{kind.name}" for kind in KINDS}
    found |= {name: f"{singular[k.section]}-{name}" for name, k in TYPES.items() if k.section in singular}
    return {name: place for name, place in found.items() if name not in WORDS}


def linked(app: Any, doctree: nodes.document, docname: str) -> None:
    if docname in (REFERENCE, "api") or app.builder.format != "html":
        return
    known = places()
    page = app.builder.get_relative_uri(docname, REFERENCE)
    for literal in list(doctree.findall(nodes.literal)):
        place = known.get(literal.astext())
        if place is None or _inside(literal):
            continue
        link = nodes.reference("", "", internal=True, refuri=f"{page}#{place}")
        literal.replace_self(link)
        link += literal


def _inside(node: nodes.Node) -> bool:
    """Whether it is in a link or a heading already."""
    parent = node.parent
    while parent is not None:
        if isinstance(parent, nodes.reference | nodes.title):
            return True
        parent = parent.parent
    return False


def setup(app: Any) -> dict[str, bool]:
    app.connect("doctree-resolved", linked)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
