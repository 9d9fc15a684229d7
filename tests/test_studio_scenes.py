"""What the studio draws and offers of each machine: its scene, its tree, its menus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import jourdain as jd
from jourdain.files import gallery
from jourdain.live.document import Document
from jourdain.studio import menus
from jourdain.studio.shown_parts import scene_of, tree_of

pytest.importorskip("websockets", reason="the studio's libraries are not installed")


@pytest.mark.parametrize("name", ["four_bar", "quick_return", "stewart_platform", "rolling_disc"])
def test_machines_have_a_scene_and_a_tree(name: str) -> None:
    live = jd.live(jd.example(name), warm=False, clock=lambda: 0.0)
    look = live.look(live.channels[:3])
    scene, tree = scene_of(look, live), tree_of(live.document)
    json.dumps([scene, tree], allow_nan=False)
    assert [body["name"] for body in scene["bodies"]] == [b.name for b in live.document.blueprint.bodies]
    for section in tree:
        for part in section["parts"]:
            for row in part["numbers"]:
                outcome = live.document.apply({"do": "set", "number": row["name"], "value": row["value"]})
                assert outcome.ok or outcome.sentence, row["name"]


def test_every_example_has_a_picture() -> None:
    pictures = Path(jd.__file__).parent / "studio" / "pictures"
    assert sorted(path.stem for path in pictures.glob("*.webp")) == gallery.example_names()


def test_menus_offer_what_can_be_done_and_say_why_not() -> None:
    document = Document.open(gallery.path("four_bar"))
    rows = {row["label"]: row for row in menus.of_part(document, "bodies.crank")}
    assert "crank" in rows["Remove"]["why"]  # joints hang on it
    assert not {row["label"]: row for row in menus.of_part(document, "joints.C")}["Cut"]["why"]
    rows = {row["label"]: row for row in menus.of_points(document, "crank.B", "rocker.D")}
    assert rows["spring-damper"]["operation"]["part"] == "forces.spring1"
    assert document.apply(rows["spring-damper"]["operation"]).ok
    (row,) = menus.of_points(document, "crank.A", "crank.B")
    assert "same body" in row["why"]
