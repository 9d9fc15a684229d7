"""One evaluation of forward dynamics of chains of pins, and one step (f): Jourdain, Pinocchio and MuJoCo.

Chains of 10, 100 and in the full set 1000 links, in the plane and in space, with random links and states: all get the
same numbers, and the accelerations are compared before anything is timed. Then all take turns in short samples, and the
best of each counts: other work on the computer then disturbs all alike, and hardly the best. Every call is made from
Python, with the result left in an array that exists already (Pinocchio and MuJoCo have it in their data); Jourdain's
call that returns a new array is timed beside it. Pinocchio's call costs 0.8 us by itself.

Steps of rk4 of 10 and 100 links are compared with MuJoCo's; Pinocchio has no integrator. At last the growth with the
number of links, up to 10,000, of an evaluation, of a step of rk4, and of compiling a chain.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import harness
import jourdain as jd
from harness import Absent, Sample, Target, exponent, is_installed, judged

SIZES, LONG = (10, 100), (10, 100, 1000)
GROWTH = (10, 100, 1000, 10_000)
SAMPLE_SECONDS = 0.004
# Of the largest acceleration. MuJoCo factors the mass matrix of the whole chain, whose condition grows with its length.
AGREEMENT = {10: 1e-9, 100: 1e-9, 1000: 1e-5}
STEP, STEPS = 1e-4, {10: 1000, 100: 200}
PINOCCHIO_MOST = 300  # links, for which its data take 2 GB
TOO_LARGE = "its data take memory with the cube of the links: 2 GB for 300, some 70 for 1000"
GRAVITY = 9.81
OURS, OURS_NEW = "Jourdain, out=", "Jourdain, new array"


# --- The chains ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """Joint point and axes in the axes of the link before, mass properties in own axes; pins turn about z."""

    point: np.ndarray
    axes: np.ndarray
    mass: float
    centre: np.ndarray
    inertia: np.ndarray  # about the mass centre


def chain(links: int, planar: bool, seed: int = 1) -> list[Bar]:
    rng = np.random.default_rng(seed)
    bars = []
    for k in range(links):
        axes = np.eye(3) if planar else Rotation.from_quat(rng.normal(size=4)).as_matrix()
        flat = np.array([1.0, 1.0, 0.0 if planar else 1.0])
        masses = 0.1 * rng.uniform(1, 2, size=6)
        places = rng.normal(size=(6, 3)) * 0.3
        middle = masses @ places / masses.sum()
        arms = places - middle
        inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, arms, strict=True))
        point = np.zeros(3) if k == 0 else flat * (np.array([0.6, 0, 0]) + 0.1 * rng.normal(size=3))
        bars.append(Bar(point, axes, float(masses.sum()), flat * (middle + np.array([0.3, 0, 0])), inertia))
    return bars


def state(links: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    return rng.uniform(-1, 1, size=links), rng.uniform(-1, 1, size=links)


# --- Contenders: each returns a call without arguments and the array it fills ---------------------------------

Call = tuple[Callable[[], Any], Callable[[], np.ndarray]]


def mechanism(bars: list[Bar], planar: bool) -> jd.Mechanism:
    """The chain as it stands at zero angles."""
    dim = 2 if planar else 3
    m = jd.Mechanism("chain", gravity=(0, -GRAVITY) if planar else (0, 0, -GRAVITY))
    place, frame = np.zeros(3), np.eye(3)
    handle = m.ground
    for k, bar in enumerate(bars):
        place, frame = place + frame @ bar.point, frame @ bar.axes
        I = bar.inertia
        own: dict[str, Any] = (
            {"inertia": I[2, 2], "angle": 0.0}
            if planar
            else {"inertia": I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]], "matrix": frame}
        )
        port = handle.point(
            f"out{k}", bar.point[:dim], **({} if planar else {"x": bar.axes[:, 0], "z": bar.axes[:, 2]})
        )
        handle = m.body(f"b{k}", mass=bar.mass, centre=bar.centre[:dim], position=place[:dim], **own)
        m.revolute(
            f"j{k}", port, handle.point("inner", np.zeros(dim), **({} if planar else {"x": (1, 0, 0), "z": (0, 0, 1)}))
        )
    return m


def jourdain(bars: list[Bar], planar: bool, new: bool = False) -> Call:
    tree = jd.tree(mechanism(bars, planar))
    q, v = state(len(bars))
    f, out = tree.accelerations, np.zeros(len(bars))
    if new:
        return (lambda: f(0.0, q, v)), (lambda: f(0.0, q, v))
    return (lambda: f(0.0, q, v, None, out)), (lambda: out)


def pinocchio(bars: list[Bar], planar: bool) -> Call:
    import pinocchio as pin

    model, last = pin.Model(), 0
    model.gravity.linear = np.array([0, -GRAVITY, 0]) if planar else np.array([0, 0, -GRAVITY])
    for k, bar in enumerate(bars):
        last = model.addJoint(last, pin.JointModelRZ(), pin.SE3(bar.axes, bar.point), f"j{k}")
        model.appendBodyToJoint(last, pin.Inertia(bar.mass, bar.centre, bar.inertia), pin.SE3.Identity())
    data, (q, v), tau = model.createData(), state(len(bars)), np.zeros(len(bars))
    aba = pin.aba
    return (lambda: aba(model, data, q, v, tau)), (lambda: np.array(data.ddq))


def mujoco_model(bars: list[Bar], planar: bool) -> Any:
    """Built by its specification in Python: as XML a chain of 1000 would be nested too deep."""
    import mujoco as mj

    spec = mj.MjSpec()
    spec.option.gravity = [0, -GRAVITY, 0] if planar else [0, 0, -GRAVITY]
    off = mj.mjtDisableBit
    spec.option.disableflags = int(off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT)
    body = spec.worldbody
    for bar in bars:
        I = bar.inertia
        body = body.add_body(
            pos=bar.point,
            quat=np.roll(Rotation.from_matrix(bar.axes).as_quat(), 1),
            mass=bar.mass,
            ipos=bar.centre,
            fullinertia=[I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]],
            explicitinertial=True,
        )
        body.add_joint(type=mj.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
    return spec.compile()


def mujoco(bars: list[Bar], planar: bool) -> Call:
    import mujoco as mj

    model = mujoco_model(bars, planar)
    data = mj.MjData(model)
    data.qpos[:], data.qvel[:] = state(len(bars))
    forward = mj.mj_forward
    return (lambda: forward(model, data)), (lambda: np.array(data.qacc))


PEERS = {"Pinocchio aba": ("pin", pinocchio), "MuJoCo mj_forward": ("mujoco", mujoco)}


# --- Checking and timing ------------------------------------------------------------------------------------


@dataclass
class Contender:
    name: str
    call: Callable[[], Any]
    result: Callable[[], np.ndarray]
    repeats: int = 1
    error: float = 0.0
    times: list[float] = field(default_factory=list)  # microseconds a call

    @property
    def best(self) -> float:
        return min(self.times)

    def record(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ours": self.name in (OURS, OURS_NEW),
            "settings": "called from Python",
            "error": self.error,
            "right": True,
            "best_us": self.best,
            "median_us": statistics.median(self.times),
        }

    def sample(self) -> None:
        call = self.call
        begun = time.perf_counter()
        for _ in range(self.repeats):
            call()
        self.times.append(1e6 * (time.perf_counter() - begun) / self.repeats)


def contenders(bars: list[Bar], planar: bool) -> list[Contender]:
    found = [Contender(OURS, *jourdain(bars, planar)), Contender(OURS_NEW, *jourdain(bars, planar, new=True))]
    for name, (package, build) in PEERS.items():
        if not is_installed(package) or (package == "pin" and len(bars) > PINOCCHIO_MOST):
            continue
        found.append(Contender(name, *build(bars, planar)))
    reference = None
    for contender in found:
        contender.call()
        result = contender.result()
        reference = result if reference is None else reference
        contender.error = float(np.max(np.abs(result - reference)) / np.max(np.abs(reference)))
    return found


def take_turns(found: list[Contender], rounds: int) -> None:
    for contender in found:
        contender.sample()
        contender.repeats = max(1, int(SAMPLE_SECONDS / (1e-6 * contender.times[-1])))
        contender.times.clear()
    for _ in range(rounds):
        for contender in found:
            contender.sample()


def compare(space: str, links: int, rounds: int) -> dict[str, Any]:
    found = contenders(chain(links, space == "planar"), space == "planar")
    wrong = [c.name for c in found if not c.error < AGREEMENT[links]]
    print(f"\nf. {space}, {links} links: microseconds an evaluation, best of {rounds} (median), and ratio to {OURS}")
    if wrong:
        print(f"  not timed, for {', '.join(wrong)} disagree")
        return {
            "title": f"f. Chain of {links} pins, {space}",
            "unit": "evaluation",
            "contenders": [],
            "disagree": wrong,
        }
    take_turns(found, rounds)
    ours = min(found[0].times)
    for c in found:
        best, median = min(c.times), statistics.median(c.times)
        print(f"  {c.name:<22}{best:8.3f} ({median:8.3f}) {best / ours:7.2f}   agrees to {c.error:.0e}")
    absent = []
    if links > PINOCCHIO_MOST and is_installed("pin"):
        absent.append(asdict(Absent("Pinocchio aba", TOO_LARGE)))
        print(f"  {'Pinocchio aba':<22}not run: {TOO_LARGE}")
    title = f"f. Chain of {links} pins, {space}"
    return {
        "title": title,
        "unit": "evaluation",
        "rounds": rounds,
        "contenders": [c.record() for c in found],
        "absent": absent,
        "found": found,
    }


def steps(space: str, links: int, rounds: int) -> dict[str, Any]:
    """Steps of rk4 from the drawn pose at rest: the whole call of Jourdain's tree beside MuJoCo's `mj_step`."""
    bars, planar = chain(links, space == "planar"), space == "planar"
    tree = jd.tree(mechanism(bars, planar))
    count = STEPS[links]
    seconds = count * STEP
    exact = tree.simulate(seconds, every=seconds, rtol=1e-12).q[-1]

    def ours() -> Sample:
        begun = time.perf_counter()
        found = tree.simulate(seconds, every=seconds, integrator="rk4", step=STEP)
        return Sample(time.perf_counter() - begun, count, found.q[-1])

    found = [harness.Contender("Jourdain tree, rk4", ours, 1e-6, "the whole call", ours=True)]
    if is_installed("mujoco"):
        import mujoco as mj

        model = mujoco_model(bars, planar)
        model.opt.timestep, model.opt.integrator = STEP, mj.mjtIntegrator.mjINT_RK4

        def roll() -> Sample:
            data = mj.MjData(model)
            begun = time.perf_counter()
            mj.mj_step(model, data, nstep=count)
            return Sample(time.perf_counter() - begun, count, np.array(data.qpos))

        found.append(harness.Contender("MuJoCo RK4", roll, 1e-6, "mj_step(nstep)"))
    return harness.compete(f"f. Steps of a chain of {links} pins, {space}", "step", found, exact, (), rounds)


def growth(space: str, rounds: int, sizes: tuple[int, ...]) -> dict[str, Any]:
    """Time over number of links, and the exponent that fits it: of an evaluation, and of a step of rk4."""
    found, steps, building = [], [], []
    for links in sizes:
        bars = chain(links, space == "planar")
        blueprint = mechanism(bars, space == "planar").frozen()
        begun = time.perf_counter()
        tree = jd.tree(blueprint)
        building.append(time.perf_counter() - begun)
        q, v = state(links)
        out = np.zeros(links)
        found.append(
            Contender(str(links), lambda f=tree.accelerations, q=q, v=v, o=out: f(0.0, q, v, None, o), lambda o=out: o)
        )
        steps.append(step_time(tree, max(3, rounds // 2)))
    take_turns(found, rounds)
    best = [min(c.times) for c in found]
    record = {"space": space, "links": list(sizes), "evaluation_us": best, "step_us": steps, "compiled_s": building}
    for what, times in (("evaluation", best), ("step", steps), ("compiled", building)):
        record[f"{what} exponent"] = exponent(sizes[1:], times[1:])  # with ten links the call itself counts
        listed = ", ".join(f"{n}: {time_:.4g}" for n, time_ in zip(sizes, times, strict=True))
        unit = "s to compile" if what == "compiled" else f"us, one {what}"
        print(f"  {space:<8} {unit}, by links {listed}; exponent {record[f'{what} exponent']:.2f}")
    return record


def step_time(tree: Any, rounds: int) -> float:
    """Microseconds of one step of rk4: the difference of runs of 20 and of 120 steps, best of some."""
    best = {20: np.inf, 120: np.inf}
    for _ in range(rounds):
        for count in best:
            begun = time.perf_counter()
            tree.simulate(count * 1e-6, every=count * 1e-6, integrator="rk4", step=1e-6)
            best[count] = min(best[count], time.perf_counter() - begun)
    return 1e6 * (best[120] - best[20]) / 100


def run(full: bool, rounds: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for space, must, aim in (("spatial", 2, 3), ("planar", 8, 15)):
        for links in LONG if full else SIZES:
            record = compare(space, links, 4 * rounds)
            found[f"f {space} {links}"] = record
            target = Target(f"f, one evaluation, {space}, n = {links}", (OURS,), tuple(PEERS), must, aim)
            timed = record.pop("found", [])
            met = judged(target, timed) if links in SIZES else None
            record["targets"] = [met] if met else []
        for links in SIZES:
            found[f"f steps {space} {links}"] = steps(space, links, rounds)
    print("\nf. Growth of Jourdain's time")
    for space in ("spatial", "planar"):
        found[f"f growth {space}"] = growth(space, rounds, GROWTH if full else GROWTH[:3])
    return found
