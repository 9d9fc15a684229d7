"""What a session of a system keeps: samples of every box and of the joints between them, and counts of the coupling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import choices as ch
from ..assembly.redundancy import Redundancy
from ..library.channels.joint import WRENCH
from ..results.solution import Solution
from ..results.status import Statistics, Status
from .box import PortMotion
from .joined import underscored
from .link_names import dotted
from .own_box import MechanismBox
from .step import Step
from .system_solution import SystemSolution, port_channels

if TYPE_CHECKING:
    from .coupled import SystemSession

Array = npt.NDArray[np.float64]

COARSE = 1e-4  # of the size: estimated errors of places that are told
LOOSE = 1e-5  # of the size: gaps at macro points that are told
UNIQUE = 1e-7  # of the largest: a part of a self-stress below is none


class Kept:
    """Samples at macro points, in lists: rows of numbers for each box, for the links, for the coupling."""

    def __init__(self, session: SystemSession) -> None:
        self._session = session
        self.t: list[float] = []
        self._rows: dict[str, list[Any]] = {name: [] for name in session.boxes}
        self._links: list[tuple[Array, Array]] = []
        self._coupling: list[tuple[float, ...]] = []
        self._last = (0, 0.0, 0.0)  # rounds, residual and length of the last macro step
        self._halved: list[tuple[float, float]] = []
        self._open = (0.0, 0.0, "")  # the widest gap at a macro point, when, and of which joint
        self._error, self._worst = 0.0, (0.0, 0.0)  # m, of all macro steps; of the worst, and when that was
        self.steps = self.rounds = 0

    def count(self, step: Step, H: float) -> None:
        """A macro step was made."""
        self.steps += 1
        self.rounds += step.rounds
        if self._session.options.coupling.estimates:
            self._error += step.error
            self._worst = max(self._worst, (step.error, step.point.t))
        self._last = step.rounds, step.residual, H

    def opened(self) -> tuple[float, str]:
        """The widest gap where the session stands, and its joint; the widest of all is kept for a note."""
        point, network = self._session.point, self._session.network
        gaps = np.where(network.interface.velocity, 0.0, np.abs(point.joints.C))
        if not gaps.size:
            return 0.0, ""
        worst = int(np.argmax(gaps))
        found = float(gaps[worst]), dotted(network.named(worst))
        if found[0] > self._open[0]:
            self._open = found[0], point.t, found[1]
        return found

    def halved(self, t: float, H: float) -> None:
        self._halved.append((t, H))

    def notes(self) -> list[str]:
        found = []
        gap, when, joint = self._open
        if gap > LOOSE * self._session.size:
            found.append(
                f"joint '{joint}' was open by {gap:.2g} (m or rad) at t = {when:g} s: "
                f"{self._session.options.coupling} closes joints by and by; give a smaller macro_step, or use extended"
            )
        if self._error > COARSE * self._session.size:
            found.append(
                f"places may be off by about {self._error:.1g} m, most of it from t = {self._worst[1]:g} s: wrenches "
                "bend too much within a macro step; give a smaller macro_step, or 'auto'"
            )
        if not self._halved:
            return found
        t, H = self._halved[0]
        return [
            *found,
            f"{len(self._halved)} macro steps did not close their joints at once and were halved, the first at "
            f"t = {t:g} s of {H:g} s",
        ]

    # Samples ---------------------------------------------------------------------------------------------------------

    def sample(self) -> None:
        """Keep where the session stands."""
        row = self._row()
        if self.t and self.t[-1] >= row[0]:
            return
        self._append(row)

    def _append(self, row: tuple[Any, ...]) -> None:
        t, boxes, links, coupling = row
        self.t.append(t)
        for name, one in boxes.items():
            self._rows[name].append(one)
        self._links.append(links)
        self._coupling.append(coupling)

    def cut(self, t: float) -> None:
        """Forget what lies after t."""
        keep = sum(one <= t for one in self.t)
        kept: list[list[Any]] = [self.t, self._links, self._coupling, *self._rows.values()]
        for rows in kept:
            del rows[keep:]

    def _row(self) -> tuple[Any, ...]:
        session, point = self._session, self._session.point
        boxes: dict[str, Any] = {}
        for name, box in session.boxes.items():
            own = session.network.where[name]
            wrench = point.wrench[own].copy()
            if isinstance(box, MechanismBox):
                boxes[name] = box.observe(wrench)
            else:
                motion = PortMotion(*(part[own].copy() for part in point.motion))
                boxes[name] = motion, wrench, dict(box.channels())
        network = session.network
        y = network.vector(point.motion, point.z)
        network.joints(point.t, point.motion, point.z, matrix=False)
        applied = np.zeros(point.wrench.size)
        if network.interface.exerts:
            applied = network.applied(point.t, point.motion, point.z, point.lam)[0]
        constraint = point.wrench.ravel() - applied  # -J^T lam
        free = network.rates(point.motion) - constraint - applied
        out = network.interface.outputs(point.t, y, free, point.lam, session.load_names)
        rounds, residual, H = self._last
        return point.t, boxes, (y, out), (float(rounds), residual, point.made, H, point.work)

    def now(self) -> SystemSolution:
        """A run of the present alone."""
        whole = Kept(self._session)
        whole._last = self._last
        whole._append(self._row())
        return whole.solution(Status(True, "now"))

    def solution(self, status: Status) -> SystemSolution:
        if not self.t:
            return self.now()
        session = self._session
        t = np.array(self.t)
        runs, others = {}, {}
        for name, box in session.boxes.items():
            rows = self._rows[name]
            if isinstance(box, MechanismBox):
                samples, out = (np.array([row[k] for row in rows]) for k in (0, 1))
                runs[name] = box.solution(t, samples, out, status)
            else:
                motions, wrenches, own = zip(*rows, strict=True)
                table = port_channels(list(motions), list(wrenches), list(box.ports), session.whole.links.dim)
                keys = own[0].keys()
                others[name] = {**table, **{key: np.array([row[key] for row in own]) for key in keys}}
        coupling = np.array(self._coupling)
        names = ("@coupling.rounds", "@coupling.residual", "@coupling.energy", "@coupling.step")
        told = {
            "coupling": str(session.options.coupling),
            "macro_steps": self.steps,
            "rounds": self.rounds,
            "macro_step": str(session.options.macro_step),
        }
        channels = {name: coupling[:, k] for k, name in enumerate(names)}
        links = self._links_run(t, status)
        return SystemSolution(session.whole, t, runs, others, links, channels, coupling[:, 4], status, told)

    def _links_run(self, t: Array, status: Status) -> Solution:
        model = self._session.network.interface.model
        choices = ch.resolve(model.blueprint.space, coordinates=model.coordinates)
        samples, out = (np.array([row[k] for row in self._links]) for k in (0, 1))
        counts = Statistics(self.steps, 0, self.rounds, 0, 0, 0.0)
        return Solution(model, choices, t, samples, out, status, counts, self._redundancy())

    def _redundancy(self) -> Redundancy:
        """Which reactions between boxes are unique: those that no self-stress of the whole has a part in."""
        session = self._session
        point, interface = session.point, session.network.interface
        names = WRENCH[session.whole.links.dim]
        joints = interface.model.blueprint.joints
        rank = point.factor.rank
        one = session.redundancy
        if one is not None:  # of the one mechanism, found at the start
            known = {joint.name: one.unique[underscored(joint.name)] for joint in joints}
            return Redundancy(len(interface.rows), rank, rank, 0, (), (), known)
        unique = {joint.name: dict.fromkeys(names, True) for joint in joints}
        null = point.factor.null
        if null.shape[1]:
            interface.place(point.t, session.network.vector(point.motion, point.z))
            for lam in null.T:
                wrenches = interface.pose.reactions(lam)[:, 1]
                largest = float(np.max(np.abs(wrenches), initial=0.0))
                for joint, wrench in zip(joints, wrenches, strict=True):
                    for name, value in zip(names, wrench, strict=True):
                        unique[joint.name][name] &= bool(abs(value) <= UNIQUE * largest)
        return Redundancy(len(interface.rows), rank, rank, 0, (), (), unique)
