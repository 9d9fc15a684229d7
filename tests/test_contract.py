"""The contract of a choice: every part of every legal combination supplies what it says, by names that exist."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import jourdain as jd
import machines
from jourdain.choices import COORDINATES, INTEGRATORS, STABILISATIONS, TREATMENTS, Ability, Entry, Field, Loop, Use
from jourdain.choices.contract import Number, Part
from jourdain.choices.coordinates import euler
from jourdain.choices.integrators.index3_methods import EXACT_ROWS, MANY
from jourdain.choices.resolve import resolve
from jourdain.engine.body_states import from_vector
from jourdain.engine.kernel_cache import imported, load_kernels
from jourdain.engine.model_part import EVENT_ROWS
from jourdain.engine.plan import Plan
from jourdain.engine.signatures import is_loop
from jourdain.engine.template import HEADER
from jourdain.engine.workspace import KEPT_HEADER, KEPT_SETTINGS, Workspace
from jourdain.kernels.layout import fields as f
from jourdain.kernels.layout import tree_table
from jourdain.mechanism.builder import blueprint_of
from jourdain.mechanism.errors import ChoiceError
from jourdain.mechanism.rotations import matrix_from_angle, matrix_from_quaternion
from jourdain.model.compile import compile_mechanism
from jourdain.model.field_kinds import KINDS, TREE
from jourdain.model.states import to_vector

KINDS_OF_PARTS = {"coordinates": COORDINATES["planar"] | COORDINATES["spatial"]}
KINDS_OF_PARTS |= {"treatment": TREATMENTS, "stabilisation": STABILISATIONS, "integrator": INTEGRATORS}
ALL = [
    pytest.param(part, id=f"{kind} {name}") for kind, parts in KINDS_OF_PARTS.items() for name, part in parts.items()
]


def with_event(m: jd.Mechanism) -> jd.Mechanism:
    m.event("turn", when=f"{m.frozen().bodies[0].name}.vx - 100")
    return m


MACHINES = {
    "planar": machines.four_bar,
    "planar with an event": lambda: with_event(machines.slider_crank()),
    "spatial": machines.spatial_four_bar,
}


def combinations(space: str) -> Iterator[Any]:
    """Every legal one, once."""
    sets = [name for name, one in COORDINATES[space].items() if one.shown]
    for c, t, s, i in itertools.product(sets, TREATMENTS, (None, *STABILISATIONS), INTEGRATORS):
        number = {"step": 1e-3} if INTEGRATORS[i].fixed else {}
        try:
            yield resolve(space, coordinates=c, treatment=t, stabilisation=s, integrator=i, **number)
        except ChoiceError:
            continue


@pytest.fixture(params=MACHINES)
def plans(request):
    blueprint = MACHINES[request.param]().frozen()
    models: dict[str, Any] = {}
    found = []
    for choices in combinations(blueprint.space):
        if choices.coordinates not in models:
            models[choices.coordinates] = compile_mechanism(blueprint, choices.set)
        found.append(Plan(models[choices.coordinates], choices.treatment, choices.integrator))
    assert len(found) > 300
    return found


def test_names_exist(plans):
    """No compiling: sources are imported, slots, fields, settings and flags are words of the context."""
    entries, fields = set(), {}
    for plan in plans:
        recipe = plan.recipe
        entries |= {*recipe.entries.values(), *plan.loops.values(), *plan.coordinates.reading()}
        fields |= {one.name: one for one in (*recipe.memory.values(), *recipe.method.values())}
        assert all(hasattr(f, f"S_{name}") for name in recipe.settings)
        assert HEADER.keys() >= recipe.flags.keys()
    for entry in entries:
        assert is_loop(entry.slot) or hasattr(f, f"F_{entry.slot}"), entry
        assert callable(imported(entry.source)), entry
    for name, one in fields.items():
        assert getattr(f, name) < f.FIELD_COUNT
        assert getattr(f, name) not in KINDS or name.startswith("EVENT_")
        assert one.number is not Number.INT or one.below is not None, "an index has a bound"


def test_what_kernels_say_of_their_memory(plans):
    """Rows that a choice asks for are those that its kernel uses."""
    k = load_kernels()
    rows = {
        "dop853": lambda n, one: k.method("integrators.dop853").work_rows(n),
        "dopri5": lambda n, one: k.method("integrators.dopri5").work_rows(n),
    }
    rows |= {
        "radau": lambda n, one: k.method("integrators.radau").work_rows(n, one.stages),
        "bdf": lambda n, one: k.method("integrators.bdf").work_rows(n),
    }
    for plan in plans:
        one, s = plan.integrator, plan.sizes
        if one.name in rows:
            assert one.rows(plan) == rows[one.name](s.controlled + one.unknowns(plan).count, one)
        else:
            assert one.rows(plan) == k.fixed_loop.WORK_ROWS[one.code]
    assert k.event_search.WORK_ROWS == EVENT_ROWS
    assert k.method("integrators.generalized_alpha_exact").MORE_ROWS == EXACT_ROWS
    assert k.method("integrators.generalized_alpha").MANY == MANY


def test_orders_are_those_of_the_kernels():
    k = load_kernels()
    for name in ("dop853", "dopri5", "bdf"):
        assert INTEGRATORS[name]().error_order() == k.method(f"integrators.{name}").ORDER


def test_sequences_of_euler_angles_are_those_of_the_kernel():
    kernel = imported("jourdain.kernels.coordinates.euler")
    np.testing.assert_array_equal(euler.AXES, kernel.AXES)
    assert euler.SWITCH == kernel.SWITCH


def test_abilities_are_loops(plans):
    for plan in plans:
        assert Loop.RUN in plan.loops
        assert (Loop.FOLLOW in plan.loops) == (Ability.COMPLEX in plan.integrator.abilities)
        assert (Loop.LANES in plan.loops) == (Ability.LANES in plan.integrator.abilities)


@pytest.mark.parametrize("part", ALL)
def test_every_choice_says_what_it_is(part):
    made = part if isinstance(part, Part) else part(1e-3) if getattr(part, "fixed", False) else part()
    assert made.name
    assert (made.says and made.says[0].islower()) or made.says[0].isupper()
    assert not made.says.endswith(".")
    assert made.wrong() is None
    assert dataclasses.is_dataclass(made)
    assert type(made).__dataclass_params__.frozen
    assert hash(made) == hash(dataclasses.replace(made))
    assert type(made).__doc__


def test_every_field_of_the_context_has_a_kind():
    named = {name for name, number in vars(f).items() if name.isupper() and not name.startswith(("F_", "H_", "S_"))}
    named -= {
        "FIELD_COUNT",
        "SETTING_COUNT",
        "AUTO",
        "EXACT_ONLY",
        "MODIFIED_ONLY",
        "NOTES_WIDTH",
        "NOTES_ROW",
        "IMAGINARY",
        "BY_RESIDUAL",
        "BY_CHANGE",
    }
    named -= {"FIRST_FIELD", "TABLE_LENGTH"}
    of_choices = {
        "COLUMN_ORDER",
        "MARGINS",
        "SHIFT",
        "GUESS",
        "ITERATE",
        "DENSE_ROWS",
        "REFLECTIONS",
        "TANGENT",
        "REDUCED",
        "FULL",
        "RHO",
    }
    of_choices |= {"STEP_WORK", "METHOD_WORK", "METHOD_TABLE", "EXACT", "EXACT_PIVOTS"}
    of_choices |= {f"LINEAR_{name}" for name in ("PLACE", "MADE_FOR", "INVERSE", "COUPLING", "REST", "RIGHT")}
    of_choices |= {"STEP_PIVOTS", "METHOD_PIVOTS", "STEP_ORDERS", "METHOD_ORDERS"}
    assert {kind.name for key, kind in KINDS.items() if key < f.FIELD_COUNT} == named - of_choices
    assert [getattr(tree_table, kind.name) for kind in TREE] == [f.FIELD_COUNT + k for k in range(len(TREE))]
    assert len(TREE) == tree_table._PAST - f.FIELD_COUNT
    assert all(hasattr(f, f"H_{name}") for name in KEPT_HEADER)
    assert all(hasattr(f, f"S_{name}") for name in KEPT_SETTINGS)


def test_types_of_the_arrays_of_a_model_are_those_of_their_kinds(plans):
    kinds = {Number.INT: np.int64, Number.REAL: np.float64, Number.NUMBER: np.float64}
    for model in {id(plan.model): plan.model for plan in plans}.values():
        assert all(array.dtype == kinds[KINDS[key].number] for key, array in model.fields.items())


def test_what_two_parts_give_is_an_error(monkeypatch):
    plan = Plan.of(compile_mechanism(machines.four_bar().frozen(), "angle"), jd.Rk4(1e-3))

    @dataclasses.dataclass(frozen=True)
    class Twice(jd.Rk4):
        def entries(self, plan):
            return (Entry("RHS", "jourdain.kernels.core.dynamics:rhs"),)

    with pytest.raises(ValueError, match="entry RHS is given twice, the second time by"):
        _ = plan.with_(integrator=Twice(1e-3)).recipe

    @dataclasses.dataclass(frozen=True)
    class Again(jd.Rk4):
        def memory(self, plan):
            return (Field("EVENT_WORK", (1, 1), Use.SCRATCH),)

    with pytest.raises(ValueError, match="field EVENT_WORK is given twice"):
        _ = plan.with_(integrator=Again(1e-3)).recipe


def test_plans_are_equal_if_their_workspaces_are():
    model = compile_mechanism(machines.four_bar().frozen(), "angle")
    plan = Plan(model, jd.Kkt(), jd.Rk4(1e-3))
    assert plan.assembling is plan
    assert plan == Plan.of(model, jd.Rk4(1e-3))
    assert Plan(model, jd.Index3(), jd.Hht(1e-3)).assembling.treatment == jd.Index3()
    for treatment in (jd.Uzawa(), jd.UdwadiaKalaba(), jd.Kkt("euclidean"), jd.Partitioning()):
        assert Plan(model, treatment, jd.Rk4(1e-3)).assembling == plan
    assert Plan(model, jd.UdwadiaKalaba("none"), redundant=2).colliding.treatment == jd.UdwadiaKalaba()
    assert Plan(model, jd.Uzawa()).colliding.treatment == jd.Kkt()


def test_another_integrator_brings_its_own_memory_and_takes_it_away():
    m = with_event(machines.four_bar())
    plan = Plan.of(compile_mechanism(m.frozen(), "angle"), jd.Dop853())
    workspace, fresh = Workspace(plan), Workspace(plan)
    workspace.use(plan.with_(integrator=jd.Radau(stages=5, forces=True)))
    assert workspace.ctx[f.H_SLOPE] == f.F_DAE
    assert workspace[f.METHOD_TABLE].shape == (23, 5)
    workspace.use(plan)
    functions = slice(f.H_COUNT, f.FIRST_FIELD)
    np.testing.assert_array_equal(workspace.ctx[functions], fresh.ctx[functions])
    np.testing.assert_array_equal(workspace.ctx[: f.H_COUNT], fresh.ctx[: f.H_COUNT])
    shapes = [{key: array.shape for key, array in one.arrays.items()} for one in (workspace, fresh)]
    assert shapes[0] == shapes[1]
    words = [
        [one.ctx[f.FIRST_FIELD + 3 * key + k] for key in range(f.FIELD_COUNT) for k in (1, 2)]
        for one in (workspace, fresh)
    ]
    assert words[0] == words[1]


def test_kept_memory_has_its_bounds():
    m = with_event(machines.four_bar())
    workspace = Workspace(Plan(compile_mechanism(m.frozen(), "angle"), jd.Partitioning(), jd.Bdf()))
    kept = {field.name: (field, array) for field, array in workspace.kept}
    of_bdf = {"METHOD_WORK", "STEP_WORK", "METHOD_PIVOTS", "METHOD_ORDERS"}
    assert {*of_bdf, "EVENT_VALUE", "LAMBDA", "K", "COLUMN_ORDER"} <= kept.keys()
    for field, array in kept.values():
        assert array.shape == field.shape
        if field.number is Number.INT:
            assert field.below is not None and np.all((array >= 0) & (array < max(field.below, 1)))
    words, settings = workspace.words, workspace.settings
    workspace.ctx[f.H_RANK], workspace[f.SETTINGS][f.S_STEP, 0] = 5, 7.0
    assert not np.array_equal(workspace.words, words) and not np.array_equal(workspace.settings, settings)
    workspace.set_words(words, settings)
    assert np.array_equal(workspace.words, words) and np.array_equal(workspace.settings, settings)


@pytest.mark.parametrize("machine", ["four_bar", "spatial_four_bar", "universal_shaft"])
def test_states_go_in_and_out_of_every_set(machine: str) -> None:
    """Poses and motions of bodies are those that went in, but for the 1e-10 of its size to which a pose is closed."""
    blueprint = blueprint_of(jd.example(machine))
    state = jd.simulate(blueprint, 0.2, progress=False).state()
    for one in COORDINATES[blueprint.space].values():
        if one.name.endswith("-fixed"):  # stop at their singularities, of which a turn about one axis is one
            continue
        model = compile_mechanism(blueprint, one)
        y = to_vector(model, state)
        names, q, v = one.shares(model)
        assert sorted(names) == sorted(body.name for body in blueprint.bodies)
        assert (sum(q), sum(v), y.size) == (model.nq, model.nv, model.length)
        for name, found in from_vector(model, y).items():
            was = state[name]
            np.testing.assert_allclose(found.position, was.position, atol=1e-9)
            np.testing.assert_allclose(found.velocity, was.velocity, atol=1e-8)
            np.testing.assert_allclose(found.spin, was.spin, atol=1e-8)
            turn = matrix_from_angle if blueprint.dim == 2 else matrix_from_quaternion
            np.testing.assert_allclose(turn(found.attitude), turn(was.attitude), atol=1e-9)
