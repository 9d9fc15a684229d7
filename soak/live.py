"""Live machines: violent pulling, random operations, seeking in a long recording, damaged recordings.

make soak ARGS="live"                                   all four
make soak ARGS="live --only pulling,damaged --seed 7"
make soak ARGS="live --only pulling,motor_crank --seed 7"   that machine alone
"""

from __future__ import annotations

import sys
import time
import traceback
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np

from campaign import FOLDER, ROOT, Outcome

FRAME = 1 / 60
PULLED, GAP, BALANCE = 60.0, 1e-10, 1e-6  # s; of the size; of the energy exchanged
MOST_SECONDS = 600.0  # of the processor, for one machine
MOST_PAUSES = 5
OPERATIONS, MACHINES = 500, 10
JUMP = 1e-9  # of the energy there is
TEN_MINUTES, SEEKS = 600.0, 100
DAMAGED = 2000


class Clock:
    """Seconds that go on when they are told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def live(options: Namespace) -> Iterator[Outcome]:
    """Parts by name; `--only` takes these names, and those of machines to pull."""
    from jourdain.files.gallery import example_names

    pulled = [name for name in example_names() if name in options.only] or example_names()
    parts: dict[str, Callable[[np.random.Generator, TextIOWrapper], tuple[bool, str]]]
    parts = {"pulling": partial(_pulling, pulled), "operations": _operations, "seeking": _seeking, "damaged": _damaged}
    for name, part in parts.items():
        if options.only and name not in options.only:
            continue
        log, begun = FOLDER / f"live-{name}.log", time.perf_counter()
        with log.open("w") as file:
            try:
                ok, words = part(np.random.default_rng(options.seed), file)
            except Exception as error:  # noqa: BLE001  (told in the log; the campaign goes on)
                file.write(traceback.format_exc())
                ok, words = False, f"{type(error).__name__}: {error}"
        yield Outcome(name, ok, words, time.perf_counter() - begun, log)


def _begun(source: Any, **choices: Any) -> tuple[Any, Clock]:
    from jourdain.live.beginning import begin

    clock = Clock()
    return begin(source, clock=clock, warm=False, **choices), clock


def _ports(machine: Any) -> list[str]:
    return [f"{body.name}.{port}" for body in machine.document.blueprint.bodies for port in body.ports]


class Puller:
    """A hand that takes hold of points at random and jerks them about."""

    def __init__(self, machine: Any, rng: np.random.Generator) -> None:
        self.machine, self.rng, self.hand = machine, rng, None
        self.dim = machine.document.blueprint.dim
        self.size = machine._engine.structure.session.prepared.model.size

    def pull(self) -> None:
        rng, machine = self.rng, self.machine
        if not self.hand or rng.random() < 0.01:
            if self.hand:
                self.hand.release()
            point = str(rng.choice(_ports(machine)))
            self.hand = machine.grab(point)
            self.base = self.aim = np.array([machine[f"{point}.{c}"] for c in "xyz"[: self.dim]])
        if rng.random() < 0.1:
            self.aim = self.base + self.size * rng.uniform(-0.5, 0.5, self.dim)
        self.hand.move(self.aim)


def _pulling(names: Sequence[str], rng: np.random.Generator, file: TextIOWrapper) -> tuple[bool, str]:
    """60 s of it on every machine of the gallery: joints stay closed, energy is in balance or that is told."""
    from jourdain.files.gallery import path

    wrong, worst, excused, paused, seed = [], 0.0, [], [], int(rng.integers(2**32))
    for name in names:
        machine, clock = _begun(path(name))
        puller = Puller(machine, np.random.default_rng([seed, *name.encode()]))  # the same whoever else is pulled
        begun, gap = time.process_time(), 0.0
        machine.play()
        pauses: list[str] = []
        while machine.t < PULLED and len(pauses) < MOST_PAUSES and time.process_time() - begun < MOST_SECONDS:
            if not machine.playing:  # what a user does then: back a second, and on
                pauses.append(machine.failure)
                machine.seek(machine.t - 1.0)
                machine.play()
            puller.pull()
            clock.now += FRAME
            machine.tick()
            gap = max(gap, machine["violation.position"] / puller.size)
        part = machine._balance.part
        told = [note for note in machine.notes if "too long" in note]
        file.write(f"{name}: t {machine.t:.1f} s, gap {gap:.1e} of the size, energy {part:.1e} of what was exchanged, ")
        file.write(f"steps divided by {machine._engine.parts}, {len(pauses)} pauses {pauses[:1]}, ")
        file.write(f"{time.process_time() - begun:.0f} s of the processor\n")
        file.flush()
        worst = max(worst, gap)
        if part > BALANCE and told:
            excused.append(f"{name} {part:.0e}")
        if pauses:
            paused.append(f"{name} {len(pauses)} times")
        if not gap < GAP or (part > BALANCE and not told):
            wrong.append(name)
        if machine.t < PULLED and len(pauses) < MOST_PAUSES:
            wrong.append(f"{name} (only {machine.t:.0f} s within {MOST_SECONDS:.0f} s of the processor)")
    said = f"; paused with a sentence: {', '.join(paused)}" if paused else ""
    said += f"; step too long, as told: {', '.join(excused)}" if excused else ""
    return not wrong, f"largest gap {worst:.1e} of the size{said}; wrong: {', '.join(wrong) or 'none'}"


# Operations -----------------------------------------------------------------------------------------------------------


def _operations(rng: np.random.Generator, file: TextIOWrapper) -> tuple[bool, str]:
    """Each is done or refused with a sentence; jumps of energy are those told; undone, the text is the first."""
    from jourdain.files.gallery import example_names, path

    sys.path.insert(0, str(ROOT / "tests"))
    from momentum import moving, unexplained

    done = refused = 0
    wrong: list[str] = []
    drawn = [str(name) for name in rng.choice(example_names(), MACHINES // 2, replace=False)]
    for name in [*drawn, *(f"random {seed}" for seed in rng.integers(0, 10**6, MACHINES - len(drawn)))]:
        machine, clock = _begun(path(name) if name in drawn else _random_machine(int(name.split()[1])))
        first = machine.document.text
        for k in range(OPERATIONS // MACHINES):
            operation = _random_operation(machine, rng, k)
            before = {key: machine[f"energy.{key}"] for key in ("kinetic", "total", "dissipated")}
            bodies = moving(machine._engine.structure.session)
            outcome = machine.apply(operation)
            file.write(f"{name} {operation}: {outcome.sentence}\n")
            if outcome.ok and operation["do"] == "insert" and operation.get("close") != "now":
                structure = machine._engine.structure
                ramps = {ramp.joint.name for ramp in structure.ramps}
                part = unexplained(bodies, structure.session, outcome.impulses, ramps)
                if part > JUMP:
                    wrong.append(f"{name}: {operation} makes momenta jump by {part:.1e} more than it tells")
            if not outcome.sentence:
                wrong.append(f"{name}: no sentence for {operation}")
            done, refused = done + outcome.ok, refused + (not outcome.ok)
            jump = machine["energy.total"] - before["total"]
            if abs(jump) > JUMP * max(1.0, abs(before["total"]), before["kinetic"]):
                wrong.append(f"{name}: {operation} makes energy.total jump by {jump:.1e} J")
            lost = machine["energy.dissipated"] - before["dissipated"]
            if abs(lost - outcome.lost) > JUMP * max(1.0, before["kinetic"]):
                wrong.append(f"{name}: {operation} dissipates {lost:.6g} J and tells {outcome.lost:.6g} J")
            machine.play()
            for _ in range(int(rng.integers(1, 12))):
                clock.now += FRAME
                machine.tick()
            if machine.failure:
                file.write(f"{name} stopped: {machine.failure}\n")
                back = machine.undo()
                file.write(f"  undone: {back.sentence}\n")
        while machine._engine.structure.document.undo():
            pass
        if machine.document.text != first:
            wrong.append(f"{name}: the text is not the first one after all was undone")
        machine.close()
    return not wrong, f"{done} done, {refused} refused with a sentence; wrong: {'; '.join(wrong[:3]) or 'none'}"


def _random_machine(seed: int) -> Any:
    from random_mechanisms import random_mechanism

    return random_mechanism(seed, "planar" if seed % 2 else "spatial")


def _random_operation(machine: Any, rng: np.random.Generator, k: int) -> dict[str, Any]:
    """Sensible ones, and some that are none."""
    from jourdain.mechanism.numbers import numbers

    document = machine.document
    blueprint = document.blueprint
    ports = [*_ports(machine), *(f"ground.{port}" for port in blueprint.ground)]
    two = [str(port) for port in rng.choice(ports, 2, replace=False)] if len(ports) > 1 else ["ground.A", "x.y"]
    kind = str(rng.choice(["set", "set", "insert", "insert", "remove", "rename", "move", "choose", "text", "spring"]))
    joints = [joint.name for joint in blueprint.joints]
    if kind == "set":
        values = numbers(blueprint)
        number = str(rng.choice(list(values)))
        return {"do": "set", "number": number, "value": float(values[number] * rng.uniform(0.8, 1.25))}
    if kind == "insert":
        space = ["revolute", "weld", "prismatic", "distance", "point-on-line", "spherical", "universal"]
        value: dict[str, Any] = {"type": str(rng.choice(space)), "between": two}
        value |= {"length": float(rng.uniform(0.1, 2))} if value["type"] == "distance" else {}
        close = str(rng.choice(["ramp", "ramp", "now"]))
        return {"do": "insert", "part": f"joints.new{k}", "value": value, "close": close}
    if kind == "spring":
        value = {"type": "spring-damper", "between": two, "stiffness": "50 N/m", "damping": 1, "length": "0.5 m"}
        return {"do": "insert", "part": f"forces.new{k}", "value": value}
    if kind == "remove":
        names = [*(f"joints.{name}" for name in joints), *(f"forces.{force.name}" for force in blueprint.forces)]
        return {"do": "remove", "part": str(rng.choice([*names, "joints.nothing"]))}
    if kind == "rename":
        body = str(rng.choice([body.name for body in blueprint.bodies]))
        return {"do": "rename", "part": f"bodies.{body}", "to": f"{body}{k}"}
    if kind == "move":
        body = blueprint.bodies[int(rng.integers(len(blueprint.bodies)))]
        port = str(rng.choice(list(body.ports) or ["none"]))
        place = [float(x) for x in rng.uniform(-1, 1, blueprint.dim)]
        return {"do": "move", "part": f"bodies.{body.name}.points.{port}", "to": place}
    if kind == "choose":
        return {"do": "choose", "step": float(rng.choice([1e-3, 5e-4, 2e-3, -1.0])), "integrator": "rk4"}
    return {"do": "text", "value": document.text + str(rng.choice(["# a note\n", "bodies: [\n", "\nwrong: 3\n"]))}


# Recordings -----------------------------------------------------------------------------------------------------------


def _recorded(rng: np.random.Generator, seconds: float, target: Path) -> Any:
    """A four-bar that is pulled, cut, closed and given other numbers all the while."""
    from jourdain.files.gallery import path

    machine, clock = _begun(path("four_bar"), history=2 * seconds)
    machine.record(target)
    puller = Puller(machine, rng)
    pin = {"type": "revolute", "between": ["coupler.C", "rocker.C"]}
    machine.play()
    while machine.t < seconds:
        second = int(machine.t)
        if second % 20 < 5:
            puller.pull()
        elif puller.hand:
            puller.hand.release()
        if second % 30 == 12 and any(joint.name == "C" for joint in machine.document.blueprint.joints):
            machine.apply({"do": "remove", "part": "joints.C"})
        if second % 30 == 13 and all(joint.name != "C" for joint in machine.document.blueprint.joints):
            machine.apply({"do": "insert", "part": "joints.C", "value": pin})
        if second % 30 == 20:
            machine.apply({"do": "set", "number": "k", "value": 150 + second % 100})
        clock.now += FRAME
        machine.tick()
        if machine.failure:  # back a second, and another way
            machine.seek(machine.t - 1.0)
            machine.play()
            puller.hand = None
    machine.close()
    return machine


def _seeking(rng: np.random.Generator, file: TextIOWrapper) -> tuple[bool, str]:
    """Ten minutes with edits: recorded, repeated, and 100 moments of it found again, to the bit."""
    from jourdain.live.replaying import Replay
    from jourdain.live.timeline import state_hash

    target = FOLDER / "ten_minutes.jdlive"
    machine = _recorded(rng, TEN_MINUTES, target)
    replay = Replay.open(target)
    engine = replay.run()
    hashes = replay.engine.timeline.hashes
    steps = rng.choice(sorted(hashes), min(SEEKS, len(hashes)), replace=False)
    wrong, longest = 0, 0.0
    for n in steps:
        begun = time.perf_counter()
        engine.seek(int(n))
        longest = max(longest, time.perf_counter() - begun)
        same = state_hash(engine.structure) == hashes[int(n)] == machine._engine.timeline.hashes[int(n)]
        file.write(f"step {n}: {'the same' if same else 'another state'}\n")
        wrong += not same
    size = target.stat().st_size / 1e6
    words = f"{replay.sentence}; {len(steps) - wrong} of {len(steps)} moments the same, at most {longest * 1e3:.0f} ms"
    return not wrong and not replay.diverged, f"{words}; recording {size:.1f} MB"


def _damaged(rng: np.random.Generator, file: TextIOWrapper) -> tuple[bool, str]:
    """Bytes changed, lost, doubled, cut: a sentence each, or a recording that is read up to where it is whole."""
    import jourdain as jd
    from jourdain.live.replaying import Replay

    target = FOLDER / "short.jdlive"
    _recorded(rng, 3.0, target)
    content, spoiled = target.read_bytes(), FOLDER / "spoiled.jdlive"
    refused = read = 0
    wrong: list[str] = []
    for k in range(DAMAGED):
        data = bytearray(content)
        place = int(rng.integers(len(data)))
        way = k % 4
        if way == 0:
            data[place] ^= int(rng.integers(1, 256))
        elif way == 1:
            del data[place:]
        elif way == 2:
            del data[place : place + int(rng.integers(1, 50))]
        else:
            data[place:place] = rng.bytes(int(rng.integers(1, 50)))
        spoiled.write_bytes(bytes(data))
        try:
            Replay.open(spoiled)
            read += 1
        except jd.RecordingError as error:
            refused += 1
            file.write(f"{k}: {error}\n")
        except Exception as error:  # noqa: BLE001  (that is what is looked for)
            wrong.append(f"{k}: {type(error).__name__}: {error}")
    words = f"{refused} refused with a sentence, {read} read up to where they are whole"
    return not wrong, f"{words}; wrong: {'; '.join(wrong[:3]) or 'none'}"
