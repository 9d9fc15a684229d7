"""The examples of the page of every public name (make_api.py). They stand on the page in its order, and tests run them.

`m` is the four-bar linkage and `run` a tenth of a second of it, as the head of the page makes them.
"""

EXAMPLES = {
    "RECIPES": 'jd.simulate(m, 0.1, recipe="nacf")',
    "assemble": 'found = jd.assemble(m, {"crank.angle": "-30 deg"})\nassert found.met',
    "branch_of": "signs = jd.branch_of(m, run.state())",
    "branches": 'ways = jd.branches(m, {"crank.angle": "-40 deg"})\nprint([way.branch for way in ways])',
    "check": "print(jd.check(m))",
    "compare": 'jd.compare(m, 0.05, coordinates=["angle"], treatments=["kkt"], integrators=["dopri5"])',
    "cycle": """driven = jd.Mechanism("flywheel")
wheel = driven.body("wheel", mass=1, inertia=2, position=(0, 0), spin=10, points={"O": (0, 0)})
driven.revolute("O", driven.ground.point("O", (0, 0)), wheel["O"])
steady = jd.cycle(driven, joint="O")""",
    "derive": 'print(jd.derive("prismatic").markdown())',
    "equilibria": 'rest = jd.equilibria(m, "k", [150, 200])',
    "example": 'm = jd.example("four_bar")',
    "graph": "print(jd.graph(m))",
    "inverse_dynamics": 'loads = jd.inverse_dynamics(m, {"A": "-pi/4 + t"}, duration=0.1)\nprint(loads.maxima())',
    "kinematics": 'moved = jd.kinematics(m, "A", from_="-45 deg", to="-20 deg")',
    "linearise": "system = jd.linearise(m)\nprint(system.A)",
    "live": """with jd.live("pendulum", clock=lambda: 0.0) as machine:
    frame = machine.step()""",
    "load": """text = '''
jourdain: 1
ground: {points: {O: [0, 0]}}
bodies: {bar: {mass: 1, inertia: 0.1, position: [0.5, 0], points: {O: [-0.5, 0]}}}
joints: {O: {type: revolute, between: [ground.O, bar.O]}}
'''
bar = jd.load(text)""",
    "load_results": 'run.to_json("run.json")\nassert jd.load_results("run.json").channels == run.channels',
    "matrices": 'at = jd.matrices(m, coordinates="angle")\nassert at.J.shape == (8, 9)',
    "modes": "print(jd.modes(m))",
    "recipes": "print(jd.recipes())",
    "rhs": "f = jd.rhs(m)\nrates = f(0.0, f.start)",
    "save": 'jd.save(m, "copy.yaml")\nassert jd.load("copy.yaml").frozen().joints == m.frozen().joints',
    "schema": 'assert "bodies" in jd.schema()["properties"]',
    "sensitivity": 'slopes = jd.sensitivity(m, ["k"], ["A.load"], 0.1)\nprint(slopes)',
    "session": "going = jd.session(m)\ngoing.advance(to=0.05)\ngoing.set('k', '250 N/m')\ngoing.advance(to=0.1)",
    "simulate": 'run = jd.simulate(m, "0.1 s", every="10 ms")\nprint(run["A.load"][-1], run.status)',
    "simulate_many": 'many = jd.simulate_many(m, 0.1, {"k": [100, 200, 300]})\nassert many["A.load"].shape[0] == 3',
    "statics": "eq = jd.statics(m)\nassert eq.stable",
    "study": 'found = jd.study(m, 0.1, vary={"k": [100, 200]}, collect={"peak": "max(A.load)"})',
    "tree": 'chain = jd.tree("double_pendulum")\nrates = chain.accelerations(0.0, *chain.start)',
    "Ab6": "jd.simulate(m, 0.1, integrator=jd.Ab6(step=1e-3))",
    "Assembled": "closed = jd.assemble(m)\nrun = jd.simulate(m, 0.1, state=closed.state)",
    "AugmentedLagrangian": "jd.simulate(m, 0.1, treatment=jd.AugmentedLagrangian())",
    "Baumgarte": "jd.simulate(m, 0.1, treatment='kkt', stabilisation=jd.Baumgarte(alpha=20, beta=20))",
    "Bdf": "jd.simulate(m, 0.1, integrator=jd.Bdf(rtol=1e-6))",
    "Box": "class Mine(jd.Box):\n    '''A box of one's own keeps its ten promises: see the page on systems.'''",
    "Cycle": "print(steady.period, steady.speed)",
    "Derivation": 'print(jd.derive("revolute").latex()[:60])',
    "Document": """document = jd.Document(text)
assert document.apply({"do": "set", "number": "bar.mass", "value": "3 kg"}).ok
document.undo()""",
    "Dop853": "jd.simulate(m, 0.1, integrator=jd.Dop853(rtol=1e-10))",
    "Dopri5": "jd.simulate(m, 0.1, integrator=jd.Dopri5(rtol=1e-6))",
    "Euclidean": "jd.simulate(m, 0.1, recipe='nacf', treatment=jd.UdwadiaKalaba(jd.Euclidean(tolerance=1e-12)))",
    "Explicit": "how = jd.Explicit()",
    "Extended": "how = jd.Extended()",
    "Fault": """wrong = jd.Mechanism("wrong")
wrong.body("bar", mass=-1, inertia=1)
try:
    jd.check(wrong)
except jd.MechanismError as error:
    (fault, *_) = error.faults
    print(fault.part, fault.key, fault)""",
    "GeneralizedAlpha": "jd.simulate(m, 0.1, integrator=jd.GeneralizedAlpha(step=1e-3))",
    "Hand": """with jd.live("pendulum", clock=lambda: 0.0) as machine:
    point = next(f"{body.name}.{name}" for body in machine.document.blueprint.bodies for name in body.ports)
    hand = machine.grab(point)
    hand.release()""",
    "Hht": "jd.simulate(m, 0.1, integrator=jd.Hht(step=1e-3))",
    "Index3": "how = jd.Index3()",
    "InverseDynamics": 'print(loads["A.load"].max(), loads.status)',
    "Kinematics": 'print(moved.maxima("C.load"), moved.limits)',
    "Kkt": "jd.simulate(m, 0.1, treatment=jd.Kkt())",
    "Live": """with jd.live("pendulum", clock=lambda: 0.0) as machine:
    machine.step()
    print(machine.t)""",
    "Many": 'print(many.ok, many[1].status)\nmany.plot("A.load")',
    "Matrices": "print(at.M.diagonal(), at.rows)",
    "Mechanism": """p = jd.Mechanism("pendulum", gravity=(0, -9.81))
bar = p.body("bar", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0)})
p.revolute("A", p.ground.point("A", (0, 0)), bar["A"])
print(p)""",
    "Natural": "jd.simulate(m, 0.1, coordinates=jd.Natural())",
    "Newmark": "jd.simulate(m, 0.1, integrator=jd.Newmark(step=1e-3))",
    "NullSpace": "jd.simulate(m, 0.1, treatment=jd.NullSpace())",
    "Outcome": 'outcome = going.edit(integrator="rk4", step=1e-3)\nprint(outcome.ok, outcome)',
    "Partitioning": "jd.simulate(m, 0.1, treatment=jd.Partitioning())",
    "Penalty": "how = jd.Penalty()",
    "PortMotion": "print(jd.PortMotion._fields)",
    "ProcessBox": "print(jd.ProcessBox.__doc__)",
    "Progress": "jd.simulate(m, 0.1, progress=lambda look: print(look.t, look.end))",
    "Radau": "jd.simulate(m, 0.1, integrator=jd.Radau(rtol=1e-6))",
    "Recursion": "jd.simulate('double_pendulum', 0.1, coordinates='relative', treatment=jd.Recursion())",
    "Relative": "jd.simulate(m, 0.1, coordinates=jd.Relative(cuts=['C']))",
    "Replay": """with jd.live("pendulum", clock=lambda: 0.0) as machine:
    machine.step()
    machine.record("pendulum.jdlive")
again = jd.Replay.open("pendulum.jdlive")""",
    "Rk4": "jd.simulate(m, 0.1, integrator=jd.Rk4(step=1e-3))",
    "Rk6": "jd.simulate(m, 0.1, integrator=jd.Rk6(step=1e-3))",
    "Sensitivity": 'print(slopes["A.load", "k"][-1], slopes.final)',
    "Session": "mark = going.checkpoint()\ngoing.advance(to=0.15)\ngoing.restore(mark)",
    "Solution": 'print(run.t[-1], run["crank.angle", "deg"][-1], run.energy.total[0])\nrun.to_csv("run.csv")',
    "Study": "print(found.summary())",
    "System": """arm = jd.Mechanism("arm", gravity=(0, -9.81))
arm.body("rod", mass=1, inertia=1 / 12, position=(0.5, 0), points={"A": (-0.5, 0), "B": (0.5, 0)})
system = jd.System("pendulum")
first = system.subsystem("first", arm)
system.revolute("O", system.ground.point("O", (0, 0)), first["rod.A"])
print(jd.check(system))""",
    "Table": "gas = jd.Table([0, 180, 360], [5, 90, 5], periodic=360)",
    "Tree": "print(chain.coordinates, chain.state(*chain.start))",
    "Type": """radius = {"unit": "m", "above": 0}
rows = ["(dot(N - M, N - M) - radius**2)/(2*radius)"]
pin = jd.Type("ring", kind="joint", ports=["centre", "bead"], parameters={"radius": radius}, equations=rows)
print(pin.parameters)""",
    "UdwadiaKalaba": "jd.simulate(m, 0.1, treatment=jd.UdwadiaKalaba())",
    "Uzawa": "how = jd.Uzawa()",
    "UzawaCoupling": "how = jd.UzawaCoupling()",
    "ChoiceError": """try:
    jd.simulate(m, 1, integrator="rk5")
except jd.ChoiceError as error:
    print(error)""",
    "EquilibriumError": """free = jd.Mechanism("falling", gravity=(0, -9.81))
free.body("stone", mass=1, inertia=1, position=(0, 0))
try:
    jd.statics(free)
except jd.EquilibriumError as error:
    print(error)""",
    "FileError": """try:
    jd.load("jourdain: 1\\nbodys: {}\\n")
except jd.FileError as error:
    print(error)""",
    "JourdainError": """try:
    jd.example("fourbar")
except jd.JourdainError as error:
    print(error)""",
    "MechanismError": """try:
    jd.check(wrong)
except jd.MechanismError as error:
    print(len(error.faults), error)""",
    "MissingLibraryError": "assert issubclass(jd.MissingLibraryError, ImportError)",
    "PictureError": """try:
    run.plot()
except jd.PictureError as error:
    print(error)""",
    "PictureWarning": "assert issubclass(jd.PictureWarning, UserWarning)",
    "RecordingError": """from pathlib import Path
Path("no.jdlive").write_bytes(b"nothing")
try:
    jd.Replay.open("no.jdlive")
except jd.RecordingError as error:
    print(error)""",
    "ResultsError": """Path("no.json").write_text("{}")
try:
    jd.load_results("no.json")
except jd.ResultsError as error:
    print(error)""",
    "SimulationError": """shaky = jd.example("pendulum")
body = shaky.frozen().bodies[0].name
shaky.torque("fails", on=shaky[body], torque=lambda t: 1 / 0)
try:
    jd.simulate(shaky, 0.1)
except jd.JourdainError as error:
    print(type(error).__name__, error)""",
    "SimulationWarning": "assert issubclass(jd.SimulationWarning, UserWarning)",
    "StudyError": """try:
    jd.study(m, 0.1, vary={"k": [1, 2]}, collect="max(A.load)", design="sobol:0")
except jd.JourdainError as error:
    print(type(error).__name__, error)""",
    "TableError": """try:
    jd.Table([0, 0], [1, 2])
except jd.TableError as error:
    print(error)""",
}
