"""Channels in formulas: every channel a formula may use is the one a run reports, and the rest is refused in words.

A component that only reports does not change the motion, so its reports are compared with the channels of the same
mechanism without it: two ways to the same number, one through the tape and one through arrays over samples. Both start
from the same samples, so 1e-9 of each channel's size leaves room for rounding only.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import jourdain as jd
from jourdain.equations.formula import Formula, apply, leaf, number, t
from jourdain.equations.lowered import DISSIPATED, DRIVEN, OWN_POTENTIAL, Effort, Equation, Load
from jourdain.equations.parse import formula
from jourdain.equations.user_functions import UserFunction
from jourdain.library.joints import kind_of
from jourdain.mechanism.errors import MechanismError
from jourdain.mechanism.parts import Action, Event, PointForce, PortName
from jourdain.model.compile import compile_mechanism
from lowered_parts import part, parts_of_components, with_parts  # noqa: F401
from random_mechanisms import random_mechanism
from test_identities import DEFAULT, PLANAR, SPATIAL

SETS = [*(("planar", name) for name in PLANAR), *(("spatial", name) for name in SPATIAL)]
every_set = pytest.mark.parametrize(("space", "name"), SETS)


def refused(channel, blueprint):
    """Channels of results that no formula may use."""
    owner, _, rest = channel.partition(".")
    if owner == "violation" or rest in ("qw", "qx", "qy", "qz"):
        return True
    joints = {joint.name: joint for joint in blueprint.joints}
    if blueprint.dim == 3 and owner in joints:
        turning, slides = "angle" in kind_of(joints[owner]).coordinates, joints[owner].type == "prismatic"
        return (rest == "angle" and not turning) or (rest == "speed" and not (turning or slides))
    return False


def reporting(channels):
    return part("report", channels={f"c{k}": leaf(channel) for k, channel in enumerate(channels)})


def assert_same(run, channels, plain):
    for k, channel in enumerate(channels):
        expected = plain[channel]
        size = max(1.0, float(np.max(np.abs(expected))))
        assert np.max(np.abs(run[f"report.c{k}"] - expected)) <= 1e-9 * size, channel


@every_set
@pytest.mark.parametrize("seed", range(4))
def test_every_channel_is_the_one_a_run_reports(space, name, seed):
    blueprint = random_mechanism(seed, space, bodies=4, loops=seed % 2).frozen()
    times = {"times": [0.0, 0.1, 0.25], "coordinates": name}
    plain = jd.simulate(blueprint, **times)
    assert plain.status.ok
    ground = [f"ground.{p}.{c}" for p in blueprint.ground for c in ("x", "y", "vx", "ay")]
    channels = [c for c in [*plain.channels, *ground] if not refused(c, blueprint)]
    run = jd.simulate(with_parts(blueprint, reporting(channels)), **times)
    assert len(channels) > 80
    assert_same(run, channels, plain)


@every_set
def test_reports_do_not_depend_on_the_order_of_evaluation(space, name):
    """The first sample too: nothing may be left from an evaluation before."""
    blueprint = random_mechanism(2, space, bodies=3, loops=1).frozen()
    channels = ["energy.kinetic", "energy.potential", "energy.total", "j1.fx", "j1.on_first.fy", "b1.ax"]
    run = jd.simulate(with_parts(blueprint, reporting(channels)), times=[0.3], coordinates=name)
    assert_same(run, channels, run)


def crank(name, space="planar", **more):
    """A body that turns fast about a fixed point: a dozen turns in two seconds."""
    dim = 2 if space == "planar" else 3
    m = jd.Mechanism("crank", space=space, gravity=[0.0, -9.81, 0.0][:dim])
    spin = 40.0 if dim == 2 else [0.0, 0.0, 40.0]
    inertia = 0.3 if dim == 2 else [0.2, 0.2, 0.3, 0.0, 0.0, 0.0]
    b = m.body("b", mass=1.0, inertia=inertia, position=[0.0] * dim, centre=[0.1, 0.0, 0.0][:dim], spin=spin, **more)
    m.joint("revolute", "A", m.ground.point("O", [0.0] * dim), b.point("P", [0.0] * dim))
    return m


@every_set
def test_angles_are_counted_beyond_a_turn(space, name):
    channels = ["A.angle", "A.speed"] + (["b.angle"] if space == "planar" else [])
    m = crank(name, space, velocity=[0.0] * (2 if space == "planar" else 3))
    plain = jd.simulate(m, times=np.linspace(0, 2, 9), coordinates=name)
    run = jd.simulate(with_parts(m.frozen(), reporting(channels)), times=np.linspace(0, 2, 9), coordinates=name)
    assert run["report.c0"][-1] > 70  # rad
    assert_same(run, channels, plain)


def motor():
    """A state with a rate of its own, a channel over it, and one over that."""
    current = Formula("leaf", key=("state", "current"))
    heat = leaf("motor.current") ** 2 * 3
    states = (("current", 0.5, -2.0 * current + apply("sin", t)),)
    return part("motor", states=states, channels={"heat": heat, "twice": leaf("motor.heat") * 2})


@every_set
def test_states_and_channels_of_components(space, name):
    blueprint = with_parts(random_mechanism(1, space, bodies=2, loops=0).frozen(), motor())
    channels = ["motor.current", "motor.heat", "motor.twice"]
    run = jd.simulate(with_parts(blueprint, reporting(channels)), 1.0, every=0.25, coordinates=name, rtol=1e-11)
    assert_same(run, channels, run)
    # i' = -2 i + sin t, i(0) = 1/2: i = 7/10 e^-2t + (2 sin t - cos t) / 5; rtol is that of the integrator.
    exact = 0.7 * np.exp(-2 * run.t) + (2 * np.sin(run.t) - np.cos(run.t)) / 5
    np.testing.assert_allclose(run["motor.current"], exact, atol=1e-10)
    np.testing.assert_allclose(run["motor.twice"], 6 * run["motor.current"] ** 2, rtol=1e-13)


def test_parameters_are_channels_without_a_dot():
    blueprint = dataclasses.replace(random_mechanism(1, "planar", bodies=2).frozen(), parameters={"k": 3.5})
    run = jd.simulate(with_parts(blueprint, part("p", channels={"twice": formula("2 * k", True)})), times=[0.0])
    assert run["p.twice"] == pytest.approx(7.0)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_force_that_depends_on_channels_is_that_force(space):
    """A spring written as a load, and as an effort, moves the mechanism as the spring itself does."""
    m = random_mechanism(3, space, bodies=3, loops=0)
    blueprint = m.frozen()
    springs = [f for f in blueprint.forces if f.name.startswith("spring")]
    kept = dataclasses.replace(blueprint, forces=tuple(f for f in blueprint.forces if f not in springs))
    efforts, loads = [], []
    for s in springs:
        at = [blueprint.port(p).at for p in (s.first, s.second)]
        ends = [(p.body, a) for p, a in zip((s.first, s.second), at, strict=True)]
        X = [[leaf(("at", b, a, k, 0)) for k in range(blueprint.dim)] for b, a in ends]
        V = [[leaf(("at", b, a, k, 1)) for k in range(blueprint.dim)] for b, a in ends]
        d = [n - p for p, n in zip(*X, strict=True)]
        length = apply("sqrt", sum(c * c for c in d))
        speed = sum(c * (w - u) for c, u, w in zip(d, *V, strict=True)) / length
        pull = s.stiffness * (length - s.length) + s.damping * speed
        loads += [
            Load(b, a, tuple(sign * pull * c / length for c in d))
            for (b, a), sign in zip(ends, (1, -1), strict=True)
            if b != "ground"
        ]
        stretch = leaf("along") - s.length
        energy = 0.5 * s.stiffness * (length - s.length) ** 2
        efforts += [
            Effort(length, -s.stiffness * stretch, OWN_POTENTIAL, energy),
            Effort(length, -s.damping * leaf("rate"), DISSIPATED),
        ]
    settings = {"duration": 0.5, "every": 0.1, "rtol": 1e-11}
    runs = [
        jd.simulate(blueprint, **settings),
        jd.simulate(with_parts(kept, part("effort", efforts=tuple(efforts))), **settings),
        jd.simulate(with_parts(kept, part("load", loads=tuple(loads))), **settings),
    ]
    for run in runs[1:]:
        np.testing.assert_allclose(run.motion.position, runs[0].motion.position, atol=1e-9)
    for what in ("kinetic", "potential", "dissipated", "driven"):
        np.testing.assert_allclose(getattr(runs[1].energy, what), getattr(runs[0].energy, what), atol=1e-8)
    np.testing.assert_allclose(runs[2].energy.total, runs[2].energy.total[0], atol=1e-8)


# What is refused --------------------------------------------------------------------------------------------------

EQUATION = "an equation may depend on positions, angles and t only"
QUATERNION = "a quaternion and its negative are the same attitude, so nothing can depend on one"


def faults(blueprint):
    with pytest.raises(MechanismError) as error:
        compile_mechanism(blueprint, DEFAULT[blueprint.space])
    return str(error.value)


def with_equation(source, velocity=False, space="planar", extra=()):
    f = formula(source, quantities=True) if isinstance(source, str) else source
    blueprint = random_mechanism(1, space, bodies=3, joints=("revolute", "prismatic")).frozen()
    return with_parts(blueprint, *extra, part("law", equations=(Equation(f, "the law", velocity=velocity),)))


@pytest.mark.parametrize(
    ("source", "space", "words"),
    [
        ("b0.vx", "planar", f"'law', the law: it depends on a velocity; {EQUATION}"),
        ("b0.spin", "planar", f"'law', the law: it depends on a velocity; {EQUATION}"),
        ("b0.p_j0.vy", "planar", f"'law', the law: it depends on a velocity; {EQUATION}"),
        ("j0.speed", "planar", f"'law', the law: it depends on a velocity; {EQUATION}"),
        ("b0.wz", "spatial", f"'law', the law: it depends on a velocity; {EQUATION}"),
        ("b0.ax", "planar", f"'law', the law: it depends on an acceleration; {EQUATION}"),
        ("j0.fx", "planar", f"'law', the law: it depends on a reaction; {EQUATION}"),
        ("j0.on_first.mz", "spatial", f"'law', the law: it depends on a reaction; {EQUATION}"),
        ("spring0.force", "planar", f"'law', the law: it depends on a velocity; {EQUATION}"),
        ("energy.kinetic", "planar", "'law', the law: it depends on an energy of the whole mechanism; " + EQUATION),
        ("violation.position", "planar", "'violation' is known after a run only; nothing can depend on it"),
        ("b0.qw", "spatial", QUATERNION),
        ("b0.angle", "spatial", "there is no channel 'b0.angle'; see the list of channels of 'b0'"),
        ("b0.z", "planar", "there is no channel 'b0.z'; see the list of channels of 'b0'"),
        ("ground.x", "planar", "there is no channel 'ground.x'; see the list of channels of 'ground'"),
        ("b0.nowhere.x", "planar", "there is no channel 'b0.nowhere.x'"),
        ("spring.length", "planar", "there is nothing called 'spring'; known:"),
        ("sprng0.length", "planar", "(did you mean 'spring0'?)"),
        ("gain * b0.x", "planar", "unknown name 'gain'; known:"),
        (
            "min(b0.x, 1)",
            "planar",
            "'min' has no derivative everywhere and cannot stand in a joint's equation; "
            "use a cam law such as poly345(x, x0, x1), or a table",
        ),
        ("sin(t) - 1", "planar", "'law': the law holds nothing that moves"),
        ("ground.p_j0.x", "planar", "'law': the law holds nothing that moves"),
    ],
)
def test_equations_refuse(source, space, words):
    assert words in faults(with_equation(source, space=space))


@pytest.mark.parametrize(
    ("source", "kind"),
    [("b0.ax", "an acceleration"), ("b0.spin_rate", "an acceleration"), ("j0.fy", "a reaction")],
)
def test_velocity_constraints_refuse(source, kind):
    words = f"depends on {kind}; a velocity constraint may depend on positions, velocities and t only"
    assert words in faults(with_equation(source, velocity=True))


@pytest.mark.parametrize(("joint", "channel"), [("spherical", "angle"), ("spherical", "speed"), ("weld", "angle")])
def test_joints_in_space_without_an_angle(joint, channel):
    blueprint = random_mechanism(1, "spatial", bodies=2, joints=(joint,), constraint_limit=False).frozen()
    words = f"a {joint} joint has no {channel}; revolute, cylindrical, planar, screw"
    assert words in faults(with_parts(blueprint, reporting([f"j0.{channel}"])))


def test_an_unknown_parameter_names_the_nearest():
    blueprint = dataclasses.replace(random_mechanism(1, "planar", bodies=2).frozen(), parameters={"gain": 1.0})
    words = faults(with_parts(blueprint, part("law", channels={"c": formula("gian * t", True)})))
    assert "'law.c': unknown name 'gian'; known: e, gain, pi, t (did you mean 'gain'?)" in words


def test_an_unknown_channel_of_a_component_lists_its_own():
    words = faults(with_parts(random_mechanism(1, "planar", bodies=2).frozen(), motor(), reporting(["motor.amps"])))
    assert "there is no channel 'motor.amps'; known: current, heat, twice" in words


def test_circles_are_refused():
    a = part("a", channels={"x": leaf("b.y") + 1})
    b = part("b", channels={"y": 2 * leaf("a.x")})
    words = faults(with_parts(random_mechanism(1, "planar", bodies=2).frozen(), a, b))
    assert "channels go in a circle, a.x -> b.y -> a.x; put an element with a state between them" in words


def test_a_force_cannot_depend_on_an_energy():
    blueprint = random_mechanism(1, "planar", bodies=2).frozen()
    port = next(iter(blueprint.body("b0").ports))
    push = PointForce("pull", PortName("b0", port), ("energy.kinetic", 0.0))
    words = faults(dataclasses.replace(blueprint, forces=(*blueprint.forces, push)))
    assert "force 'pull': 'energy.kinetic' is an energy, which cannot stand here" in words


def test_events_may_depend_on_anything_but_what_is_not_there():
    blueprint = random_mechanism(1, "planar", bodies=2).frozen()
    fine = Event("fine", "energy.kinetic - 3 + b0.ax * j0.fx", 0, (Action("record"),))
    compile_mechanism(dataclasses.replace(blueprint, events=(fine,)), "angle")
    words = faults(dataclasses.replace(blueprint, events=(Event("odd", "b9.x", 0, (Action("stop"),)),)))
    assert "event 'odd': when: there is no body, joint or component 'b9'; known:" in words


def test_what_a_channel_hides_is_refused_too():
    """The channel of a component may be a function, which has no derivative, however deep it lies."""
    function = part("f", channels={"y": UserFunction(lambda x: x, "function 'f'").of(leaf("b0.x"))[0]})
    hidden = part("g", channels={"z": 1 + leaf("f.y")})
    words = faults(with_equation(leaf("g.z"), extra=(function, hidden)))
    assert "'law', the law: function 'f' is a function without derivatives; write it as a formula" in words
    least = part("f", channels={"y": apply("max", leaf("b0.x"), number(1))})
    assert "'max' has no derivative everywhere" in faults(with_equation(leaf("f.y"), extra=(least,)))


def test_an_effort_along_a_function_is_refused():
    """Its direction is the gradient, which a function does not have: it would silently push nothing."""
    along = UserFunction(lambda x: x, "function 'f'").of(leaf("b0.x"))[0]
    blueprint = random_mechanism(1, "planar", bodies=2).frozen()
    words = faults(with_parts(blueprint, part("e", efforts=(Effort(along, number(1.0), DRIVEN),))))
    assert "'e': function 'f' is a function without derivatives; write it as a formula" in words
    corner = Effort(apply("max", leaf("b0.x"), number(0)), number(1.0), DRIVEN)  # a corner is no hindrance to a force
    compile_mechanism(with_parts(blueprint, part("e", efforts=(corner,))), "angle")


def test_faults_are_reported_together():
    rows = tuple(Equation(leaf(c), f"row {k}") for k, c in enumerate(("b0.vx", "b9.x")))
    words = faults(with_parts(random_mechanism(1, "planar", bodies=2).frozen(), part("law", equations=rows)))
    assert "'law', row 0: it depends on a velocity" in words and "'law', row 1: there is no channel 'b9.x'" in words
