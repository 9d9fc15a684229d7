"""Checkpoints: everything that a later step reads, as bytes.

    magic | version | length of the head | head, JSON | numbers, raw | checksum of all before

The head tells whose it is (a fingerprint of mechanism and choices) and what stands in the numbers, name by name with
type and shape; never anything that could be executed. What a checkpoint says is believed only as far as it fits: sizes
are those of this session, indices stay below their bounds, numbers are finite, joints are closed. State inside a user's
own Python function cannot be held.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..engine.time_loop import end_ahead, impossible, time_of
from ..engine.workspace import Workspace
from ..mechanism.errors import JourdainError, SimulationError
from ..model.flat import FlatModel
from .fingerprint import fingerprint

if TYPE_CHECKING:
    from .session import Session

Array = npt.NDArray[Any]

MAGIC = b"JDCHECK\n"
VERSION = 1
CHECKSUM = 16  # bytes
HEAD = struct.Struct("<8sHI")
CLOSED = 1e-6  # of the size: a joint that is more open was not left by this session
LONGEST_HEAD = 10**7
ALL_FINITE = "all but the clock is finite"  # a key of the head, written when it is opened
KINDS = {"<f8": np.dtype(np.float64), "<i8": np.dtype(np.int64)}
ORDERS = ("PERMUTATION", "COLUMN_ORDER")  # all indices once, or zeros before there was an order


class CheckpointError(SimulationError):
    """A checkpoint does not fit or is damaged; the session is as it was."""


def written(session: Session) -> bytes:
    """Everything that a later step of a session reads."""
    loop = session.loop
    arrays = list(_arrays(session))
    head = {
        "fingerprint": fingerprint(session.base, session.choices),
        "numbers": session.numbers,
        "off": sorted(loop.workspace.model.off),
        "arrays": [(name, array.dtype.str, array.shape) for name, array in arrays],
        "words": loop.workspace.words,
        "t": session.t,
        "outcome": session.outcome,
        "exact": loop.workspace.plan.exact,
        "exact_from": loop.exact_from,
        "unfinished": loop.unfinished,
        "seconds": loop.seconds,
        "spent": loop.spent_before.tolist(),
        "crossing": session.crossing.state(),
        "takeover": None if session.takeover is None else session.takeover.state(),
        "events": session.events.state(),
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    body = b"".join([HEAD.pack(MAGIC, VERSION, len(text)), text, *_raw(arrays)])
    return body + _checksum(body)


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=CHECKSUM).digest()


def _arrays(session: Session) -> Iterator[tuple[str, Array]]:
    """All memory that a later step reads: floats first, then integers."""
    loop = session.loop
    kept = loop.workspace.kept
    yield "clock", loop.clock
    yield "y", loop.y
    yield "now", session.y
    yield "reference", session.reference
    yield "work", session.crossing.work if session.crossing.active else loop.work
    yield from ((field.name, array) for field, array in kept if array.dtype == np.float64)
    yield "counts", loop.counts
    yield from ((field.name, array) for field, array in kept if array.dtype != np.float64)


def _raw(arrays: list[tuple[str, Array]]) -> Iterator[bytes]:
    floats = [(name, array) for name, array in arrays if array.dtype == np.float64]
    yield np.concatenate([_possible(name, array).ravel() for name, array in floats]).tobytes()
    yield np.concatenate([array.ravel() for _, array in arrays if array.dtype != np.float64]).tobytes()


def _possible(name: str, array: Array) -> Array:
    """Attempts that failed leave numbers that are none in rows of scratch: nobody reads them again."""
    if name == "clock" or np.isfinite(array).all():
        return array
    return np.where(np.isfinite(array) | (Workspace.may_be_infinite(name, array) & ~np.isnan(array)), array, 0.0)


# Reading --------------------------------------------------------------------------------------------------------------


def restore(session: Session, mark: bytes) -> None:
    """Bring a session to where a checkpoint was made. It stays as it is if that cannot be."""
    head, numbers = _opened(mark)
    try:
        before = written(session) if _differs(session, head) else None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise CheckpointError(_unreadable(error)) from error
    try:
        _apply(session, head, numbers, before is not None)
    except (JourdainError, KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError) as error:
        if before is not None:
            _apply(session, *_opened(before), True, checked_already=True)
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(_unreadable(error)) from error


def _unreadable(error: Exception) -> str:
    if isinstance(error, JourdainError):
        return f"the checkpoint cannot be used: {error}"
    return f"the checkpoint cannot be used: what it says of itself cannot be ({type(error).__name__}: {error})"


def _opened(mark: bytes) -> tuple[dict[str, Any], dict[str, Array]]:
    """Head and numbers, if the bytes are whole."""
    if not isinstance(mark, bytes | bytearray | memoryview):
        raise CheckpointError(f"a checkpoint is bytes, as checkpoint() gives them; this is {type(mark).__name__}")
    mark = bytes(mark)
    if len(mark) < HEAD.size + CHECKSUM or not mark.startswith(MAGIC):
        raise CheckpointError("these bytes are no checkpoint of a session, or the beginning is lost")
    _, version, length = HEAD.unpack_from(mark)
    if version != VERSION:
        raise CheckpointError(f"the checkpoint has version {version}; this release reads version {VERSION}")
    if _checksum(mark[:-CHECKSUM]) != mark[-CHECKSUM:]:
        raise CheckpointError("the checkpoint is damaged: its checksum does not fit; take another one")
    if length > min(LONGEST_HEAD, len(mark) - HEAD.size - CHECKSUM):
        raise CheckpointError("the checkpoint is damaged: its head is longer than the whole")
    try:
        head = json.loads(mark[HEAD.size : HEAD.size + length])
        listed = [(str(name), str(kind), tuple(int(n) for n in shape)) for name, kind, shape in head["arrays"]]
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError) as error:
        raise CheckpointError(f"the head of the checkpoint cannot be read ({type(error).__name__})") from error
    numbers: dict[str, Array] = {}
    at, end = HEAD.size + length, len(mark) - CHECKSUM
    for name, kind, shape in listed:
        if kind not in KINDS or any(n < 0 for n in shape):
            raise CheckpointError(f"the checkpoint has {name} as {kind} {list(shape)}, which cannot be")
        count = math.prod(shape)
        if at + 8 * count > end:
            raise CheckpointError(f"the checkpoint ends within {name}")
        numbers[name] = np.frombuffer(mark, KINDS[kind], count, at).reshape(shape)
        at += 8 * count
    if at != end or len(numbers) != len(listed):
        raise CheckpointError("the checkpoint goes on behind its last number, or has one twice")
    count = sum(values.size for values in numbers.values() if values.dtype == np.float64)
    floats = np.frombuffer(mark, np.float64, count, HEAD.size + length)
    first = listed[0] if listed else ("", "", (0,))
    clock = math.prod(first[2]) if first[0] == "clock" else 0
    head[ALL_FINITE] = bool(np.isfinite(floats[clock:]).all())
    if np.isnan(floats[:clock] if head[ALL_FINITE] else floats).any():
        name = next((n for n, x in numbers.items() if x.dtype == np.float64 and np.isnan(x).any()), "its numbers")
        raise CheckpointError(f"the checkpoint has {name} with numbers that are none")
    return head, numbers


def _differs(session: Session, head: dict[str, Any]) -> bool:
    """Whether the session has to be put together anew: with other numbers, other parts switched, another method."""
    loop, takeover = session.loop, session.takeover
    return (
        head["numbers"] != session.numbers
        or set(head["off"]) != loop.workspace.model.off
        or bool(head["exact"]) != loop.workspace.plan.exact
        or (takeover is not None and bool(head["takeover"]["active"]) != takeover.active)
        or (head["crossing"]["step"] > 0) != session.crossing.active
    )


def _apply(
    session: Session, head: dict[str, Any], numbers: dict[str, Array], anew: bool, checked_already: bool = False
) -> None:
    if head["fingerprint"] != fingerprint(session.base, session.choices):
        raise CheckpointError(
            "the checkpoint is of another mechanism or of other choices; restore it in a session of the same mechanism "
            "with the same choices"
        )
    if (head["takeover"] is None) != (session.takeover is None):
        raise CheckpointError("the checkpoint is of a session that may change its method, or this one is")
    t = _number("t", head["t"])
    if anew:
        _put_together(session, head, t, numbers)
    loop = session.loop
    checked = _checked(session, numbers, head[ALL_FINITE])
    events, crossing = session.events.read(head["events"]), session.crossing.read(head["crossing"])
    takeover = None if session.takeover is None else session.takeover.read(head["takeover"])
    if not checked_already:
        _check_words(session, head, numbers, t)
        _check_state(session, t, numbers)
    spent = np.array([int(_number("spent", n)) for n in head["spent"]], dtype=np.int64)
    if spent.shape != loop.spent_before.shape:
        raise CheckpointError("the checkpoint counts other things than this session")
    outcome = None if head["outcome"] is None else int(_number("outcome", head["outcome"]))
    exact_from = None if head["exact_from"] is None else _number("exact_from", head["exact_from"])
    seconds, unfinished = _number("seconds", head["seconds"]), float(head["unfinished"])
    # From here on nothing can fail.
    session.events.restore(events)
    session.crossing.restore(crossing)
    if session.takeover is not None and takeover is not None:
        session.takeover.restore(takeover)
    for array, values in checked:
        array[...] = values
    loop.workspace.set_words(head["words"])
    loop.exact_from, loop.seconds, loop.unfinished = exact_from, seconds, unfinished
    loop.spent_before[:] = spent
    session.stands(t, np.array(numbers["now"]), outcome, np.array(numbers["reference"]))


def _put_together(session: Session, head: dict[str, Any], t: float, numbers: dict[str, Array]) -> None:
    """Numbers of the mechanism, switched parts and method as the checkpoint had them."""
    session.renumbered({str(name): _number(name, value) for name, value in head["numbers"].items()})
    loop, off = session.loop, frozenset(map(str, head["off"]))
    blueprint = session.blueprint
    known = {*(joint.name for joint in blueprint.joints), *(part.name for part in blueprint.components)}
    if not off <= known:
        raise CheckpointError(f"the checkpoint switches {', '.join(sorted(off - known))}, which the mechanism has not")
    if off != loop.workspace.model.off:
        y = _fitting("now", numbers, session.y)
        _check_state(session, t, numbers, rows=False)
        loop.exchange(session.events.workspace_without(off, frozenset(), t, y))
    if session.takeover is not None:
        session.takeover.restore(session.takeover.read(head["takeover"]))
    if bool(head["exact"]) != loop.workspace.plan.exact:
        loop.provide_exact(bool(head["exact"]))
    session.crossing.restore(session.crossing.read(head["crossing"]))


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise CheckpointError(f"the checkpoint has {name} = {value!r}; expected a finite number")
    return float(value)


def _fitting(name: str, numbers: dict[str, Array], like: Array) -> Array:
    found = numbers.get(name)
    if found is None or found.shape != like.shape or found.dtype != like.dtype:
        what = "nothing" if found is None else f"{found.dtype}{list(found.shape)}"
        raise CheckpointError(f"the checkpoint has {what} for {name}; this session has {like.dtype}{list(like.shape)}")
    return found


def _checked(session: Session, numbers: dict[str, Array], finite: bool) -> list[tuple[Array, Array]]:
    """Arrays of the session and what they become, if that can be."""
    found = []
    bounds = {field.name: field.below for field, _ in session.loop.workspace.kept if field.below is not None}
    for name, array in _arrays(session):
        values = _fitting(name, numbers, array)
        if not array.size:
            continue
        if values.dtype == np.float64:
            possible = finite or name == "clock" or np.isfinite(values).all()
            if not possible and not np.all(np.isfinite(values) | Workspace.may_be_infinite(name, values)):
                raise CheckpointError(f"the checkpoint has {name} with numbers that are not finite")
        elif name in bounds and not (values.min() >= 0 and values.max() < bounds[name]):
            raise CheckpointError(f"the checkpoint has an index in {name} that is not below {bounds[name]}")
        if name in ORDERS and values.any() and not np.array_equal(np.sort(values.ravel()), np.arange(values.size)):
            raise CheckpointError(f"the checkpoint has {name} with an index twice")
        found.append((array, values))
    if len(numbers) != sum(1 for _ in _arrays(session)):
        raise CheckpointError("the checkpoint has more arrays than this session")
    return found


def _check_words(session: Session, head: dict[str, Any], numbers: dict[str, Array], t: float) -> None:
    wrong = session.loop.workspace.wrong_words(head["words"])
    wrong = wrong or impossible(session.loop, numbers["clock"], numbers["counts"], head["words"], t)
    if wrong:
        raise CheckpointError(f"the checkpoint cannot be used: {wrong}")


NEW_ROW = -4  # of METHOD_WORK: the end of the step ahead (kernels/integrators/step_rows.py)
# Rows of work in which a later step finds a state, and with it the numbers of charts: kernels index with them.
ROWS_OF_STATES = {"METHOD_WORK": (1, -4, -5, -9), "STEP_WORK": (-1, -3, -4, -5, -9)}


def _check_charts(model: FlatModel, numbers: dict[str, Array]) -> None:
    for name, rows in ROWS_OF_STATES.items():
        work = numbers.get(name, np.zeros((0, 0)))
        for row in rows if len(work) >= len(rows) + 9 else ():
            if words := model.set.valid(work[row][model.layout.q]):
                raise CheckpointError(f"the checkpoint has {name} with coordinates that cannot be: {words}")


def _check_state(session: Session, t: float, numbers: dict[str, Array], rows: bool = True) -> None:
    """Both states are ones that this machine can be in; `rows`: joints are closed, too."""
    workspace = session.loop.workspace
    model = workspace.model
    closed = rows and session.choices.treatment.stabilisation.projects
    pose = session.observer.pose(workspace)
    if "PARAMETERS" in numbers:
        pose.set_numbers(_fitting("PARAMETERS", numbers, pose.values))
    if model.set.charts:
        _check_charts(model, numbers)
    still = np.zeros(model.nv)
    states = [(t, "now", numbers.get("now")), (time_of(numbers["clock"]), "y", numbers.get("y"))]
    if (ahead := end_ahead(numbers["clock"])) is not None and "METHOD_WORK" in numbers:
        states.insert(0, (ahead, "the end of its step", numbers["METHOD_WORK"][NEW_ROW][: session.y.size]))
    for at, name, given in states:
        state = _fitting(name, {name: given} if given is not None else {}, session.y)
        if not np.isfinite(state).all() or not math.isfinite(at):
            raise CheckpointError(f"the checkpoint has {name} with numbers that are not finite")
        q = state[model.layout.q]
        if words := model.set.valid(q):
            raise CheckpointError(f"the checkpoint has coordinates that cannot be: {words}")
        if np.max(np.abs(pose.retract(state, still)[model.layout.q] - q), initial=0.0) > CLOSED:
            raise CheckpointError("the checkpoint has coordinates that are no attitude: a length is not one")
        gaps = np.abs(pose.residual(at, state)) if closed else still[:0]
        if gaps.size and not np.max(gaps) <= CLOSED * max(1.0, model.size):
            worst = int(np.argmax(gaps))
            raise CheckpointError(
                f"the checkpoint has '{model.rows[worst].joint}' open by {gaps[worst]:.3g} (m or rad); it was not left "
                "by this machine"
            )
        if at == t and np.array_equal(numbers["now"], numbers["y"]):
            break


__all__ = ["CheckpointError", "restore", "written"]
