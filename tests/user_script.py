"""A user's program that goes once through the whole surface: `mypy --strict` finds nothing in it (test_surface.py).

It is read by the type checker alone. What it says of types must hold without a cast.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import jourdain as jd
import jourdain.typing as jt


def described() -> jd.Mechanism:
    m = jd.Mechanism("crank", gravity=(0, -9.81))
    k = m.parameter("k", "200 N/m")
    m.table("gas", jd.Table([0, 1, 2], [5, 9, 2], periodic="720 deg"))
    crank: jt.BodyHandle = m.body(
        "crank", mass="300 g", inertia=0.1, position=np.array([0.5, 0.0]), points={"A": (0, 0)}
    )
    rod = m.body("rod", shape={"box": (1, 0.2)}, density=7800, angle="30 deg", velocity=(0, 0), spin=1)
    pin: jt.PortName = m.ground.point("O", (0, 0), angle=0.1)
    tip = crank.point("B", (1, 0))
    name: str = m.revolute("A", pin, crank["A"], initial={"angle": "10 deg", "speed": 2})
    m.prismatic("S", bodies=(crank, rod), at=(1, 0), axis=(1, 0))
    m.distance("D", tip, rod.point("P", (0, 0)))
    m.custom("C", tip, rod["P"], equations=["dot(N - M, y_i)"])
    m.rolling_disc("wheel", pin, rod["P"], radius="30 cm")
    m.point_on_circle("ring", pin, rod["P"], radius=1)
    m.screw("thread", joints=("A", "S"), pitch=0.002)
    m.spring_damper("spring", tip, rod["P"], stiffness=k, damping=1, length=0.3)
    m.force("push", on=tip, vector=(lambda t: 2 * t, "5*sin(t)"))
    m.torque("turn", on=crank, torque=1.5)
    m.friction("F", joint=name, coefficient=0.1, radius="2 cm")
    m.stop("end", joint="S", above=0.2, stiffness=1e5)
    m.actuator("leg", joint="A", motor="5*sin(t)", stops=(-1, None), stop_stiffness=1e4)
    m.bushing("rubber", tip, rod["P"], stiffness=(1e5, 1e5, 200))
    m.line_load("snow", crank["A"], crank["B"], vector=(0, "-500*s"), axes="fixed")
    m.gear("G", joints=("A", "S"), teeth=(20, 60))
    m.coupling("cam", joints=("A", "S"), function=lambda x: x**2)
    m.equation("E", formula="crank.angle - 2*rod.angle")
    m.motion("drive", joint="A", angle=[(0, 0), (1, "20 deg")])
    m.element("lag", states={"y": 0}, inputs={"u": "A.angle"}, rates={"y": "(u - y)/0.1"})
    m.linear_system("plant", inputs={"u": "A.angle"}, A=((-1,),), B=((1,),), C=np.eye(1))
    m.component("forces", "attraction", "pull", pin, tip, strength=2)
    m.event("hit", "crank.y", direction="falling", set={"k": 1e4}, off=["spring"], call=stopped)
    m.part("pin", jd.Type("arc-pin", kind="joint", ports=["slot", "pin"]), pin, tip, radius="20 mm")
    m.switch_off("spring")
    m.remove("end")
    return m


def stopped(moment: jt.Moment) -> None:
    moment.stop()


def analysed(m: jd.Mechanism) -> float:
    checked: jt.Checked = jd.check(m)
    found: jd.Assembled = jd.assemble(m, {"crank.angle": "30 deg"}, branch=None)
    rest: jt.Equilibrium = jd.statics(m)
    run: jd.Solution = jd.simulate(m, "3 s", every="10 ms", state=found.state, integrator=jd.Rk4(step=1e-3))
    states: list[jt.State] = [found.state, rest.state(), run.state(), run.state(0)]
    statuses: list[jt.Status] = [run.status, rest.status, found.status]
    notes: list[tuple[str, ...]] = [run.status.notes, rest.notes, found.notes]
    again = jd.simulate("four_bar", 1, state=states[1])
    moved: jd.Kinematics = jd.kinematics(m, "A", to="720 deg")
    forces: jd.InverseDynamics = jd.inverse_dynamics(m, {"A": "t"}, duration="1 s")
    tables: list[jt.Maxima] = [run.maxima(), moved.maxima(), forces.maxima("A.load")]
    many: jd.Many = jd.simulate_many(m, 1.0, {"k": [1.0, 2.0]})
    both: jt.Comparison = jd.compare(m, "1 s", integrators=["rk4"])
    slopes: jd.Sensitivity = jd.sensitivity(m, ["k"], ["A.load"], 1)
    space: jt.StateSpace = jd.linearise(m)
    tones: jt.Modes = jd.modes(m)
    round_: jd.Cycle = jd.cycle(m, "2 s", rtol=1e-9)
    f: jt.RightHandSide = jd.rhs(m)
    matrices: jd.Matrices = jd.matrices(m, coordinates="angle")
    design: jd.Study = jd.study(m, 1, vary={"k": [1, 2]}, collect="max(A.load)", executor=ProcessPoolExecutor(2))
    run.plot("crank.x"), run.draw(0, "pose.png"), run.animate(Path("run.html"))
    run.to_csv("run.csv")
    jd.save(m, "crank.yaml")
    words: str = jd.derive(m).latex()
    print(
        checked, both, slopes, space, tones, round_, design, words, statuses, notes, tables, forces.status, jd.graph(m)
    )
    print(
        jd.equilibria(m, "k", [1.0]), jd.branches(m), jd.branch_of(m, states[0]), jd.tree(m), jd.schema(), jd.recipes()
    )
    return float(
        run["crank.x"][-1] + again.energy.total[0] + many["crank.x"][0, 0] + matrices.M[0, 0] + f(0.0, f.start)[0]
    )


def gone_on(m: jd.Mechanism) -> None:
    session: jd.Session = jd.session(m, until=5.0, every=0.01, integrator="dop853", rtol=1e-9)
    status: jt.Status = session.advance(to=1.0)
    outcome: jd.Outcome = session.edit(m, step=1e-3, integrator="rk4")
    mark: bytes = session.checkpoint()
    session.restore(mark)
    with jd.live(m, speed=0.5, integrator="rk4") as live:
        hand: jd.Hand = live.grab("crank.B")
        hand.move((1, 2))
        hand.release()
        live.play()
    print(status, outcome, session.solution().status)


def coupled(m: jd.Mechanism) -> None:
    system = jd.System("machine")
    first = system.subsystem("first", m, integrator="rk4", step="1 ms")
    system.revolute("hinge", system.ground.point("O", (0, 0)), first["crank.A"])
    system.spring_damper("spring", first["crank.B"], system.ground["O"], stiffness=2)
    run: jt.SystemSolution = jd.simulate(system, 1, coupling="extended", macro_step="10 ms")
    going: jt.SystemSession = jd.session(system, coupling=jd.Uzawa())
    report: jt.CheckedSystem = jd.check(system)
    couplings: jt.ComparedSystem = jd.compare(system, 1.0, couplings=["explicit"])
    jd.save(system, "machine.yaml")
    print(run.boxes, going.t, report, couplings)


def read(path: Path) -> jd.Mechanism:
    found = jd.load(path, parameters={"k": "300 N/m"})
    if isinstance(found, jd.System):
        raise jd.ChoiceError("this is a system")
    document = jd.Document.open(path)
    outcome: jd.Outcome = document.undo()
    results: jt.Reloaded | jd.Study = jd.load_results("run.csv")
    print(outcome, results.channels if isinstance(results, jt.Reloaded) else results.name)
    return found


def refused(m: jd.Mechanism) -> list[jd.Fault]:
    try:
        jd.check(m)
    except jd.MechanismError as error:
        return list(error.faults)
    return []
