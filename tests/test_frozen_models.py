"""Models are never written: runs on one model share nothing that changes."""

from dataclasses import replace

import numpy as np
import pytest

import jourdain as jd
from jourdain.assembly.prepare import prepare
from jourdain.engine.body_states import with_turns
from jourdain.engine.plan import Plan
from jourdain.engine.pose import Pose
from jourdain.engine.workspace import Workspace
from jourdain.kernels.layout import fields
from jourdain.kernels.layout.returned import OK
from jourdain.model.compile import compile_mechanism
from jourdain.model.tree.joint_state import drawn, with_phases
from known_mechanisms import EZ, space


@pytest.mark.parametrize("coordinates", ["angle", "points", "relative"])
def test_arrays_of_a_model_cannot_be_written(coordinates):
    model = prepare(jd.example("four_bar"), coordinates).model
    arrays = [*model.fields.values(), *(model.tree.arrays.values() if model.tree is not None else ())]
    assert arrays and not any(array.flags.writeable for array in arrays)
    for table in (model.fields, model.flags, model.settings, model.parameters, model.held_by, model.carried):
        with pytest.raises(TypeError):
            table[0] = None


def test_screws_of_two_runs_on_one_tree_count_from_their_own_starts():
    nut = space("nut", ("screw", "ground nut", (0, 0, 0), EZ))
    tree = compile_mechanism(nut.frozen(), "relative").tree
    before = {field: array.copy() for field, array in tree.arrays.items()}
    written = drawn(tree.blueprint)
    place, frame = written["nut"].pose
    lifted = {"nut": replace(written["nut"], pose=(np.add(place, (0, 0, 0.1)), frame))}
    one, other = with_phases(tree, written), with_phases(tree, lifted)
    assert (dict(tree.phases), dict(one.phases)) == ({}, {"nut": 0.0})
    assert other.phases["nut"] == pytest.approx(0.1)
    assert all(np.array_equal(before[field], tree.arrays[field]) for field in before)
    again = with_phases(with_phases(tree, lifted), written)
    assert again.phases == one.phases


def test_turns_of_two_runs_on_one_model_are_their_own():
    prepared = prepare(jd.example("four_bar"), "relative")
    model, y = prepared.model, prepared.assembly.y
    names = [body.name for body in model.blueprint.bodies]
    known = {name: 7.0 for name in names}
    other = with_turns(model, y, known)
    assert other.tree.turned != model.tree.turned
    assert prepare(jd.example("four_bar"), "relative").model.tree.turned == model.tree.turned


def test_two_workspaces_of_one_tree_do_not_meet():
    machine = jd.example("double_pendulum")
    model = compile_mechanism(machine.frozen(), "relative")
    one, other = (Workspace(Plan.of(model), slots=()).arrays for _ in range(2))
    shared = [f for f in one if one[f].size and np.shares_memory(one[f], other[f])]
    assert shared and not any(one[field].flags.writeable for field in shared)


def with_function(function):
    m = jd.Mechanism("pendulum", gravity=(0, -9.81))
    bar = m.body("bar", mass=2, inertia=0.5, position=(1, 0), points={"A": (-1, 0)})
    m.revolute("A", m.ground.point("A", (0, 0)), bar["A"])
    m.torque("mine", on=bar, torque=function, inputs=["A.angle", "t"])
    return m


def test_an_error_of_a_function_is_that_of_its_run_alone():
    """Two workspaces of one model: where one fails the other goes on, and it counts for itself."""

    def sometimes(angle, t):
        if t > 0.5:
            raise RuntimeError("worn out")
        return -0.1 * angle if angle > 0 else 0.1

    model = prepare(with_function(sometimes), "angle").model
    one, other = Pose(model), Pose(model)
    y = prepare(with_function(sometimes), "angle").assembly.y
    status, expected = one.slope(0.0, y)
    assert status == OK
    assert not np.all(np.isfinite(one.slope(1.0, y)[1]))
    assert isinstance(one.workspace.callbacks[0].error, RuntimeError)
    assert np.array_equal(other.slope(0.0, y)[1], expected)
    assert other.workspace.callbacks[0].error is None
    assert one.workspace.callbacks[0].calls == 2 and other.workspace.callbacks[0].calls == 1
    assert not np.all(np.isfinite(one.slope(0.0, y)[1]))  # it answers no more
    one.workspace.callbacks[0].clear()
    assert np.array_equal(one.slope(0.0, y)[1], expected)
    assert not any(address for address in model.fields[fields.FUNCTIONS][:, 0])
