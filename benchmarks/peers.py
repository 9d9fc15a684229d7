"""Other simulators on the four-bar with a spring-damper from A to C, to be compared with Jourdain.

Every function builds one peer with the settings that were the fastest for it among those that keep its
accuracy, and returns a `Peer`, or None where its library is not installed or too old. The peers are optional:
nothing here is imported before it is asked for.

The machine (Pappalardo & Guida 2018, tables 1 and 5; reference problem P01, variant c): three bars of 4 m and
3 kg between A = (0, 0) and D = (4, 0), the crank at -45 degrees, at rest, gravity along -y.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from math import pi, sqrt
from typing import Any, NamedTuple

STEP = 1e-3
LENGTH = 4.0
MASS = 3.0
INERTIA = 4.04  # about the centre of mass: m (4^2 + 0.4^2) / 12
GRAVITY = 9.81
STIFFNESS, DAMPING, FREE_LENGTH = 200.0, 15.0, 4.0


class Sample(NamedTuple):
    """One run from the start: the time spent stepping, the steps made, where the coupler's centre ended."""

    seconds: float
    steps: int
    x: float
    y: float


@dataclass(frozen=True)
class Peer:
    name: str
    version: str
    settings: str
    bar: float  # metres; an error above it is a wrong model, not the method's error at this step
    run: Callable[[int], Sample]


# --- Exudyn -------------------------------------------------------------------------------------------------


def exudyn_generalized_alpha() -> Peer | None:
    """Newton's tolerance 1e-6: the error of the default 1e-8 within 4 %, in three quarters of its time."""
    return _exudyn("Exudyn generalized-alpha", 1e-6)


def exudyn_one_iteration() -> Peer | None:
    """Newton's tolerance 1e-4, met by one iteration a step: quicker still, errors up to 1.5 times larger."""
    return _exudyn("Exudyn generalized-alpha, loose", 1e-4)


def _exudyn(name: str, tolerance: float) -> Peer | None:
    sys.exudynFast = True  # type: ignore[attr-defined]  # the build without range checks; read on import
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it announces the fast build
            import exudyn
            import exudyn.itemInterface
    except ModuleNotFoundError:
        return None
    if not hasattr(exudyn.SimulationSettings(), "linearSolver"):
        return None  # before 1.13 settings and masses had other names
    exudyn.config.printToConsole = False

    def run(n_steps: int) -> Sample:
        container = exudyn.SystemContainer()
        system = container.AddSystem()
        coupler = _exudyn_four_bar(system, exudyn.itemInterface)
        settings = _exudyn_settings(exudyn, n_steps, tolerance)
        # The solver's parts by hand, so that its set-up is not timed.
        solver = exudyn.MainSolverImplicitSecondOrder()
        solver.InitializeSolver(system, settings)
        start = time.perf_counter()
        solver.SolveSteps(system, settings)
        seconds = time.perf_counter() - start
        solver.FinalizeSolver(system, settings)
        x, y = system.GetNodeOutput(coupler, exudyn.OutputVariableType.Position)[:2]
        return Sample(seconds, n_steps, float(x), float(y))

    settings = f"fast build, dense solver, full Newton to {tolerance:g}, spectral radius 0.9, no files"
    return Peer(name, exudyn.__version__, settings, 1e-4, run)


def _exudyn_four_bar(system: Any, items: Any) -> Any:
    """Fill the system and return the coupler's node."""
    r = sqrt(2.0)
    poses = ((r, -r, -pi / 4), (2 + 2 * r, -2 * r, 0.0), (4 + r, -r, 3 * pi / 4))
    nodes = [system.AddNode(items.NodeRigidBody2D(referenceCoordinates=pose)) for pose in poses]
    crank, coupler, rocker = (
        system.AddObject(items.ObjectRigidBody2D(mass=MASS, inertia=INERTIA, nodeNumber=node)) for node in nodes
    )
    for node in nodes:
        vertical = system.AddMarker(items.MarkerNodeCoordinate(nodeNumber=node, coordinate=1))
        system.AddLoad(items.LoadCoordinate(markerNumber=vertical, load=-MASS * GRAVITY))

    def point(body: Any, x: float) -> Any:
        return system.AddMarker(items.MarkerBodyPosition(bodyNumber=body, localPosition=[x, 0.0, 0.0]))

    ground = system.AddObject(items.ObjectGround())
    half = LENGTH / 2
    a, c = point(ground, 0.0), point(coupler, half)
    pins = (
        [a, point(crank, -half)],
        [point(crank, half), point(coupler, -half)],
        [c, point(rocker, -half)],
        [point(rocker, half), point(ground, LENGTH)],
    )
    for pin in pins:
        system.AddObject(items.ObjectJointRevolute2D(markerNumbers=pin))
    system.AddObject(
        items.ObjectConnectorSpringDamper(
            markerNumbers=[a, c], referenceLength=FREE_LENGTH, stiffness=STIFFNESS, damping=DAMPING
        )
    )
    system.Assemble()
    return nodes[1]


def _exudyn_settings(exudyn: Any, n_steps: int, tolerance: float) -> Any:
    settings = exudyn.SimulationSettings()
    settings.solution.file.write = False
    settings.linearSolver.solverType = exudyn.LinearSolverType.EXUdense
    integration = settings.timeIntegration
    integration.numberOfSteps = n_steps
    integration.endTime = n_steps * STEP
    integration.verboseMode = 0
    integration.generalizedAlpha.spectralRadius = 0.9
    integration.newton.useModifiedNewton = False  # 17 unknowns: keeping the Jacobian was 13 % slower
    integration.newton.relativeTolerance = tolerance
    integration.newton.absoluteTolerance = 1e-2 * tolerance
    return settings


# --- MuJoCo -------------------------------------------------------------------------------------------------

# The loop is cut at C and closed by the equality. `solref` is the time constant of its stabilisation.
# Islands (11 %), warm starts (3 %) and the other features switched off only cost on a machine this small.
_MUJOCO_XML = """
<mujoco>
  <compiler angle="radian"/>
  <option timestep="{step}" gravity="0 {gravity} 0" integrator="{integrator}" solver="Newton">
    <flag contact="disable" refsafe="disable" island="disable" warmstart="disable" limit="disable"
          frictionloss="disable" actuation="disable" sensor="disable" midphase="disable"/>
  </option>
  <default>
    <joint type="hinge" axis="0 0 1"/>
  </default>
  <worldbody>
    <site name="A"/>
    <body name="crank" euler="0 0 {minus_45}"> <joint/> {inertial}
      <body name="coupler" pos="4 0 0" euler="0 0 {plus_45}"> <joint/> {inertial}
        <site name="C" pos="4 0 0"/>
      </body>
    </body>
    <body name="rocker" pos="4 0 0" euler="0 0 {minus_45}"> <joint/> {inertial} </body>
  </worldbody>
  <equality>
    <connect body1="coupler" body2="rocker" anchor="4 0 0" solref="{time_constant} 1" solimp="0.9999 0.9999"/>
  </equality>
  <tendon>
    <spatial springlength="{free_length}" stiffness="{stiffness}" damping="{damping}">
      <site site="A"/> <site site="C"/>
    </spatial>
  </tendon>
</mujoco>
"""


def mujoco_rk4() -> Peer | None:
    """Its accurate integrator. Half a step is the shortest round time constant that RK4 can follow here."""
    return _mujoco("MuJoCo RK4", "RK4", 0.5 * STEP, 1e-6)


def mujoco_implicitfast() -> Peer | None:
    """Its quick integrator, of first order. Below two steps the equality makes it unstable."""
    return _mujoco("MuJoCo implicitfast", "implicitfast", 2 * STEP, 1e-2)


def _mujoco(name: str, integrator: str, time_constant: float, bar: float) -> Peer | None:
    try:
        import mujoco
    except ModuleNotFoundError:
        return None
    model = mujoco.MjModel.from_xml_string(_mujoco_four_bar(integrator, time_constant))
    coupler = model.body("coupler").id

    def run(n_steps: int) -> Sample:
        data = mujoco.MjData(model)
        start = time.perf_counter()
        mujoco.mj_step(model, data, nstep=n_steps)
        seconds = time.perf_counter() - start
        mujoco.mj_kinematics(model, data)  # a step leaves the positions of its beginning in data
        x, y = data.xipos[coupler][:2]
        return Sample(seconds, n_steps, float(x), float(y))

    settings = f"contacts, islands, warm start off, connect with solref {time_constant:g} s, mj_step(nstep)"
    return Peer(name, mujoco.__version__, settings, bar, run)


def _mujoco_four_bar(integrator: str, time_constant: float) -> str:
    inertial = f'<inertial pos="{LENGTH / 2} 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>'
    return _MUJOCO_XML.format(
        step=STEP,
        gravity=-GRAVITY,
        integrator=integrator,
        time_constant=time_constant,
        inertial=inertial,
        minus_45=-pi / 4,
        plus_45=pi / 4,
        free_length=FREE_LENGTH,
        stiffness=STIFFNESS,
        damping=DAMPING,
    )


PEERS: dict[str, Callable[[], Peer | None]] = {
    "Exudyn generalized-alpha": exudyn_generalized_alpha,
    "Exudyn generalized-alpha, loose": exudyn_one_iteration,
    "MuJoCo RK4": mujoco_rk4,
    "MuJoCo implicitfast": mujoco_implicitfast,
}
