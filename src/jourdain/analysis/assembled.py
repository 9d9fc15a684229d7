"""What assembly found: the closed state, how far each body moved, which targets were met, and the branch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..assembly.targets import Target, tidy
from ..mechanism.equality import equal_by
from ..mechanism.errors import ChoiceError
from ..mechanism.frozen import Frozen
from ..mechanism.names import nearest
from ..mechanism.parts import Blueprint, Body, Joint, Port, PortName
from ..mechanism.port_axes import joint_axes
from ..model.states import BodyState, State
from ..plotting.cards import Card
from ..results.status import Status

MET = 1e-8  # of the size or 1 rad, and per second: farther from its target a channel has missed it


@dataclass(frozen=True)
class TargetOutcome:
    """One target and what became of it. `missed` is found - wanted, without whole turns of angles."""

    name: str
    wanted: float
    found: float
    missed: float
    met: bool
    must: bool
    words: str

    def __str__(self) -> str:
        return self.words


@equal_by()
@dataclass(frozen=True)
class Assembled(Card):
    """A closed mechanism.

    `state` is by name and starts a run (`jd.simulate(m, 5, state=found.state)`); `mechanism` is the same mechanism with
    these poses and velocities written. `found["slider.x"]` gives the value of a channel.
    """

    original: Blueprint
    state: State
    moved: dict[str, float]  # m, by body
    turned: dict[str, float]  # rad, by body
    targets: tuple[TargetOutcome, ...]
    gap: float  # m or rad, the largest that remains in any joint
    freedoms: int  # that joints and musts leave, idle spins not counted
    branch: str  # in words: open, crossed, elbow up ...; empty where nothing can be told apart
    signature: tuple[str, ...]  # signs of the branch, which a motion keeps
    notes: tuple[str, ...]
    channels: Mapping[str, float]
    t: float = 0.0  # s, at which motions were taken

    @property
    def name(self) -> str:
        return self.original.name

    @property
    def status(self) -> Status:
        """Whether all targets are met, as a sentence, with the notes."""
        missed = [target.words for target in self.targets if not target.met]
        return Status(not missed, "; ".join(missed) or f"closed to {self.gap:.2g} (m or rad)", self.notes)

    @property
    def met(self) -> bool:
        """Whether every target is met, wishes included."""
        return all(target.met for target in self.targets)

    def __getitem__(self, channel: str) -> float:
        if channel not in self.channels:
            raise KeyError(f"no channel '{channel}' of positions and velocities; {nearest(channel, self.channels)}")
        return self.channels[channel]

    @property
    def mechanism(self) -> Blueprint:
        """The mechanism with the poses and velocities found."""
        return as_written(self.original, self.state, self.channels)

    def save(self, path: str | Path) -> Path:
        """Write the mechanism with these poses to a file, YAML or JSON."""
        from ..files.saving import save

        return save(self.mechanism, path)

    def draw(self, path: str | Path | None = None) -> Any:
        """The mechanism in this pose as a matplotlib figure, saved if `path` is given."""
        from .simulate import simulate

        return simulate(self.original, times=[self.t], state=self.state).draw(0, path)

    def __str__(self) -> str:
        lines = [f"{self.name}: closed to {self.gap:.2g} (m or rad)" + (f", {self.branch}" if self.branch else "")]
        if self.signature and self.branch != ", ".join(self.signature):
            lines.append(f"  branch: {', '.join(self.signature)}")
        lines += [f"  {target}" for target in self.targets]
        for body in self.moved:
            state = self.state[body]
            lines.append(
                f"  {body}: {_pose(state)}; moved {tidy(self.moved[body])} m, turned {tidy(self.turned[body])} rad"
            )
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and texts, for JSON."""
        bodies = {
            name: {
                "position": list(state.position),
                "attitude": state.attitude if isinstance(state.attitude, float) else list(state.attitude),
                "velocity": list(state.velocity),
                "spin": state.spin if isinstance(state.spin, float) else list(state.spin),
                "moved": self.moved[name],
                "turned": self.turned[name],
            }
            for name, state in self.state.items()
            if isinstance(state, BodyState)
        }
        targets = [
            {"channel": x.name, "wanted": x.wanted, "found": x.found, "missed": x.missed, "met": x.met, "must": x.must}
            for x in self.targets
        ]
        return {
            "mechanism": self.name,
            "branch": self.branch,
            "signature": list(self.signature),
            "gap": self.gap,
            "freedoms": self.freedoms,
            "targets": targets,
            "bodies": bodies,
            "notes": list(self.notes),
        }

    def _picture(self) -> Any:
        return self.draw()


def outcome(target: Target, found: float, size: float) -> TargetOutcome:
    channel = target.channel
    missed = channel.short_of(found, target.wanted)
    met = abs(missed) <= MET * (1.0 if channel.kind == "angle" else max(size, 1e-300))
    kind = "target" if target.must else "wish"
    words = f"{kind} {target}: met" if met else f"{kind} {target}: {channel.shown(found)}, {_off(target, missed)}"
    return TargetOutcome(target.name, target.wanted, found, missed, met, target.must, words)


def _off(target: Target, missed: float) -> str:
    return f"missed by {target.channel.shown(abs(missed))}"


def _pose(state: BodyState) -> str:
    place = ", ".join(map(tidy, state.position))
    if isinstance(state.attitude, float):
        return f"at ({place}), angle {tidy(state.attitude)} rad"
    return f"at ({place}), quaternion ({', '.join(map(tidy, state.attitude))})"


def select(found: list[Assembled], branch: str) -> Assembled:
    """The branch of that name; a part of a name will do if only one has it."""
    for candidates in (
        [x for x in found if branch in (x.branch, ", ".join(x.signature))],
        [x for x in found if branch.casefold() in f"{x.branch}, {', '.join(x.signature)}".casefold()],
    ):
        if len(candidates) == 1:
            return candidates[0]
    names = [x.branch for x in found]
    words = f"there is no branch '{branch}'" if not candidates else f"branch '{branch}' could be more than one"
    raise ChoiceError(f"{words}; {nearest(branch, names)}")


# The mechanism with these poses ---------------------------------------------------------------------------------------


def as_written(blueprint: Blueprint, state: Mapping[str, Any], channels: Mapping[str, float]) -> Blueprint:
    """The mechanism with the poses and velocities of a state.

    Axes that joints took from the drawn pose are written out first, so that they stay what they were.
    """
    ports: dict[str, dict[str, Port]] = {b: dict(blueprint.ports_of(b)) for b in ("ground", *_names(blueprint))}
    joints = [_with_axes(blueprint, joint, ports) for joint in blueprint.joints]
    joints = [replace(joint, initial=_initial(joint, channels)) for joint in joints]
    bodies = tuple(_with_pose(body, state[body.name], ports[body.name]) for body in blueprint.bodies)
    return replace(blueprint, ground=ports["ground"], bodies=bodies, joints=tuple(joints))


def _names(blueprint: Blueprint) -> list[str]:
    return [body.name for body in blueprint.bodies]


def _with_pose(body: Body, state: BodyState, ports: dict[str, Port]) -> Body:
    return replace(
        body,
        ports=ports,
        position=state.position,
        attitude=state.attitude,
        velocity=state.velocity,
        spin=state.spin,
    )


def _with_axes(blueprint: Blueprint, joint: Joint, ports: dict[str, dict[str, Port]]) -> Joint:
    """A joint in space whose ports have all their axes; ports that it shares with others get a twin."""
    if blueprint.dim == 2:
        return joint
    axes = joint_axes(blueprint, joint)
    ends = []
    for port, side in ((joint.first, "i"), (joint.second, "j")):
        old = blueprint.port(port)
        if old.z is None or old.x is not None:
            ends.append(port)
            continue
        x, z = (tuple(float(c) for c in axes[f"{a}_{side}"]) for a in "xz")
        new = Port(old.at, x=x, z=z)
        name = port.point
        if ports[port.body][name] not in (old, new):
            name = f"{port.point}_{joint.name}"
        ports[port.body][name] = new
        ends.append(PortName(port.body, name))
    return replace(joint, first=ends[0], second=ends[1])


def _initial(joint: Joint, channels: Mapping[str, float]) -> Mapping[str, float]:
    found = {key: channels.get(f"{joint.name}.{key}", value) for key, value in joint.initial.items()}
    return Frozen(found)
