"""What stands where in states and outputs: names against the arrays that the kernels fill."""

import numpy as np
import pytest

import jourdain as jd
from jourdain.assembly.prepare import prepare
from jourdain.kernels.layout import fields
from jourdain.model.layout import WORKS, StateLayout
from random_mechanisms import random_mechanism
from random_trees import random_tree

EXAMPLES = ("four_bar", "motor_crank", "flyball_governor", "slider_crank")
SETS = {"planar": ("angle", "points", "natural", "relative"), "spatial": ("quaternion", "relative")}


def models():
    for name in EXAMPLES:
        machine = jd.example(name)
        for coordinates in SETS[machine.frozen().space]:
            yield f"{name}-{coordinates}", machine, coordinates
    for space, sets in SETS.items():
        for coordinates in sets:
            yield f"random-{coordinates}", random_mechanism(3, space), coordinates
        yield f"tree-{space}", random_tree(4, space, forces=True), "relative"


@pytest.mark.parametrize(("machine", "coordinates"), [pytest.param(m, c, id=n) for n, m, c in models()])
def test_slices_fill_the_arrays_of_the_kernels(machine, coordinates):
    prepared = prepare(machine, coordinates)
    model, workspace = prepared.model, prepared.workspace
    at, places = model.layout, model.outputs
    parts = [at.q, at.v, at.states, at.works, at.turns]
    assert [k for part in parts for k in range(part.start, part.stop)] == list(range(at.length))
    assert at.length == prepared.assembly.y.size == model.nq + model.nv + model.nz
    assert (at.z.start, at.z.stop) == (at.states.start, at.turns.stop)
    assert at.states.stop - at.states.start == model.flags["STATES"]
    assert sorted(at.owners) == sorted(body.name for body in model.blueprint.bodies)
    assert [k for part in at.q_of for k in range(part.start, part.stop)] == list(range(at.q.start, at.q.stop))
    assert [k for part in at.v_of for k in range(part.start, part.stop)] == list(range(at.v.start, at.v.stop))
    sizes = [workspace[f].size for f in (fields.ENERGY, fields.REPORTED, fields.WRENCHES)]
    assert 2 + (places.springs.stop - places.springs.start) == sizes[0]
    assert places.reports.stop - places.reports.start == sizes[1]
    assert places.wrenches.stop - places.wrenches.start == sizes[2]
    assert places.length == places.strain + 4 == model.nv + 2 + sum(sizes) + 4


def test_names_lead_to_places():
    at = StateLayout(("crank", "rod"), (3, 7), (3, 6), (("motor", "current"),), ("A", "B"))
    assert (at.q, at.v) == (slice(0, 10), slice(10, 19))
    assert at.q_of == (slice(0, 3), slice(3, 10))
    assert at.v_of == (slice(10, 13), slice(13, 19))
    assert at.moves_of == (slice(0, 3), slice(3, 9))
    assert at.state("motor", "current") == 19
    assert [at.work(name) for name in WORKS] == [20, 21, 22]
    assert at.turn("B") == at.length - 1 == 24
    with pytest.raises(ValueError, match="one by one"):
        at.by_body(np.zeros(at.length))


def test_accelerations_and_energies_of_a_run_are_those_of_its_bodies():
    run = jd.simulate(jd.example("four_bar"), 0.1, every=0.05, progress=False)
    b = run.model.layout.owners.index("crank")
    moves = run.outputs[:, run.model.outputs.accelerations][:, run.model.layout.moves_of[b]]
    assert np.array_equal(moves[:, -1], run["crank.spin_rate"])
    kinetic = sum(
        0.5 * body.mass * np.sum(_centre_speed(run, body) ** 2, axis=1)
        + 0.5 * body.inertia * run[f"{body.name}.spin"] ** 2
        for body in run.blueprint.bodies
    )
    assert np.allclose(run.outputs[:, run.model.outputs.kinetic], kinetic, rtol=1e-12)


def _centre_speed(run, body):
    k = run.motion.index(body.name)
    arm = run.motion.frame[:, k] @ np.array(body.centre)
    return run.motion.velocity[:, k] + run.motion.spin[:, k] * np.stack([-arm[:, 1], arm[:, 0]], axis=1)
