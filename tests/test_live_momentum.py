"""Joints of every gallery machine taken out while it runs and put back: bodies jump by the impulses that are told."""

from __future__ import annotations

import pytest

from jourdain.files.gallery import example_names, path
from live_machines import lively
from momentum import moving, unexplained

MOST_JOINTS = 4
WITHOUT = {"bricard", "rolling_disc"}  # no joint of theirs can be put back where it is open
SHORT = {"andrews_squeezer": (0.02, 1)}  # s that it runs at a time: its steps are short; joints


@pytest.mark.parametrize("name", example_names())
def test_every_body_jumps_by_the_impulses_of_its_joints(name: str) -> None:
    live, run = lively(path(name))
    seconds, most = SHORT.get(name, (0.15, MOST_JOINTS))
    run(seconds)
    checked = 0
    for joint in [joint.name for joint in live.document.blueprint.joints]:
        if checked == most or not live.apply({"do": "remove", "part": f"joints.{joint}"}):
            continue
        run(seconds)
        if live.failure:
            break
        before = moving(live._engine.structure.session)
        driven = live["energy.driven"]
        outcome = live.undo()
        assert outcome.sentence
        if not outcome:
            break
        structure = live._engine.structure
        after = moving(structure.session)
        ramps = {ramp.joint.name for ramp in structure.ramps}
        scale = max(before.energy, 1e-12)
        assert unexplained(before, structure.session, outcome.impulses, ramps) < 1e-9, joint
        taken = outcome.lost - (live["energy.driven"] - driven)
        assert after.energy - before.energy == pytest.approx(-taken, abs=1e-9 * scale), joint
        assert after.energy == pytest.approx(live["energy.kinetic"], rel=1e-9, abs=1e-12 * scale), joint
        checked += 1
        run(0.35 if name not in SHORT else seconds)
        if live.failure:
            break
    assert (checked == 0) == (name in WITHOUT)
