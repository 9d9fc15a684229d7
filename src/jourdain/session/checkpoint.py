"""Checkpoints: everything that a later step reads, as bytes.

    magic | version | length of the head | head, JSON | floats | integers | checksum of all before

The head tells whose it is (a fingerprint of mechanism and choices) and what stands in the numbers, name by name with
type and shape; never anything that could be executed. What a checkpoint says is believed only as far as it fits
(truths.py), unless this very session wrote it, byte for byte: it knows the checksums of its last ones, which nobody
can give to other bytes. State inside a user's own Python function cannot be held.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..assembly.prepare import Dropped, dropped_of, without_rows
from ..engine.written_memory import limit_steps
from ..kernels.layout import returned as st
from ..mechanism.errors import JourdainError, SimulationError
from .fingerprint import code, fingerprint
from .shelf import Numbers, put_back, shelf_of, taken
from .truths import CheckpointError, check_numbers, check_run, check_state, number

if TYPE_CHECKING:
    from .session import Session

Array = npt.NDArray[Any]

MAGIC = b"JDCHECK\n"
VERSION = 2
CHECKSUM = 16  # bytes
HEAD = struct.Struct("<8sHI")
LONGEST_HEAD = 10**7
REMEMBERED = 1000  # checksums of a session's own checkpoints
WHOLE = (None, st.OK, st.STOPPED, st.ENDED, st.RAISED)  # outcomes after which the last step is a whole one


def written(session: Session) -> bytes:
    """Everything that a later step of a session reads. Raises SimulationError where that could not be restored."""
    if session.outcome not in WHOLE:
        try:
            floats, ints = taken(session)
            check_state(session, session.t, Numbers(shelf_of(session), floats, ints))
        except CheckpointError:
            raise SimulationError(
                f"there is nothing to write down at t = {session.t:g} s: the step that failed there left no state of "
                "the machine; restore an earlier checkpoint"
            ) from None
    mark = _everything(session)
    own = session.marks
    own[mark[-CHECKSUM:]] = None
    if len(own) > REMEMBERED:
        del own[next(iter(own))]
    return mark


def _everything(session: Session) -> bytes:
    loop = session.loop
    head = {
        "fingerprint": fingerprint(session.base, session.choices),
        "code": code(),
        "numbers": session.numbers,
        "off": sorted(loop.workspace.model.off),
        "left_out": dropped_of(loop.workspace.model),
        "arrays": shelf_of(session).listed,
        "t": session.t,
        "outcome": session.outcome,
        "exact": loop.workspace.plan.exact,
        "exact_from": loop.exact_from,
        "unfinished": loop.unfinished,
        "seconds": loop.seconds,
        "crossing": session.crossing.state(),
        "takeover": None if session.takeover is None else session.takeover.state(),
        "events": session.events.state(),
    }
    text = json.dumps(head, separators=(",", ":")).encode()
    floats, ints = taken(session)
    body = b"".join([HEAD.pack(MAGIC, VERSION, len(text)), text, floats.tobytes(), ints.tobytes()])
    return body + _checksum(body)


def _checksum(body: bytes) -> bytes:
    return hashlib.blake2b(body, digest_size=CHECKSUM).digest()


# Reading --------------------------------------------------------------------------------------------------------------


def restore(session: Session, mark: bytes) -> None:
    """Bring a session to where a checkpoint was made. It stays as it is if that cannot be."""
    head, raw = _opened(mark)
    before = None
    try:
        _check_owner(session, head)
        if _differs(session, head):
            before = _everything(session)
        own = bytes(mark[-CHECKSUM:]) in session.marks
        _apply(session, head, raw, before is not None, checked_already=own)
    except _UNREADABLE as error:
        if before is not None:
            _apply(session, *_opened(before), True, checked_already=True)
        if isinstance(error, CheckpointError):
            raise
        raise CheckpointError(_unreadable(error)) from error


_UNREADABLE = (JourdainError, KeyError, TypeError, ValueError, OverflowError, AttributeError, IndexError)


def _unreadable(error: Exception) -> str:
    if isinstance(error, JourdainError):
        return f"the checkpoint cannot be used: {error}"
    return f"the checkpoint cannot be used: what it says of itself cannot be ({type(error).__name__}: {error})"


def _opened(mark: bytes) -> tuple[dict[str, Any], memoryview]:
    """Head and the bytes of the numbers, if all are whole."""
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
    except (ValueError, RecursionError) as error:
        raise CheckpointError(f"the head of the checkpoint cannot be read ({type(error).__name__})") from error
    if not isinstance(head, dict):
        raise CheckpointError(f"the head of the checkpoint cannot be read (it is a {type(head).__name__})")
    return head, memoryview(mark)[HEAD.size + length : -CHECKSUM]


def _check_owner(session: Session, head: dict[str, Any]) -> None:
    if head["code"] != code():
        raise CheckpointError(
            "the checkpoint was written by another release of Jourdain, with another compiler or on another processor, "
            "where steps have other bits; restore it there, and take the state over by state()"
        )
    if head["fingerprint"] != fingerprint(session.base, session.choices):
        raise CheckpointError(
            "the checkpoint is of another mechanism or of other choices; restore it in a session of the same mechanism "
            "with the same choices"
        )
    if (head["takeover"] is None) != (session.takeover is None):
        raise CheckpointError("the checkpoint is of a session that may change its method, or this one is")


def _differs(session: Session, head: dict[str, Any]) -> bool:
    """Whether the session has to be put together anew: with other numbers, other parts switched, another method."""
    loop, takeover = session.loop, session.takeover
    return (
        head["numbers"] != session.numbers
        or set(head["off"]) != loop.workspace.model.off
        or _left_out(head) != dropped_of(loop.workspace.model)
        or bool(head["exact"]) != loop.workspace.plan.exact
        or (takeover is not None and bool(head["takeover"]["active"]) != takeover.active)
        or (head["crossing"]["step"] > 0) != session.crossing.active
    )


def _apply(session: Session, head: dict[str, Any], raw: memoryview, anew: bool, checked_already: bool = False) -> None:
    t = number("t", head["t"])
    if anew:
        _put_together(session, head, t, raw)
    loop = session.loop
    numbers = _numbers(session, head["arrays"], raw)
    events, crossing = session.events.read(head["events"], t), session.crossing.read(head["crossing"], t)
    takeover = None if session.takeover is None else session.takeover.read(head["takeover"], t)
    outcome = None if head["outcome"] is None else int(number("outcome", head["outcome"]))
    exact_from = None if head["exact_from"] is None else number("exact_from", head["exact_from"])
    seconds, unfinished = number("seconds", head["seconds"]), float(head["unfinished"])
    if not checked_already:
        check_numbers(numbers)
        check_run(session, t, numbers)
        check_state(session, t, numbers)
    # From here on nothing can fail.
    session.events.restore(events)
    session.crossing.restore(crossing)
    if session.takeover is not None and takeover is not None:
        session.takeover.restore(takeover)
    put_back(session, numbers)
    if session.watch is not None:
        session.watch.forget()
    limit_steps(loop)
    loop.exact_from, loop.seconds, loop.unfinished = exact_from, seconds, unfinished
    session.stands(t, np.array(numbers["now"]), outcome, np.array(numbers["reference"]))


def _numbers(session: Session, listed: Any, raw: memoryview) -> Numbers:
    """The numbers, if they are those of this session."""
    shelf = shelf_of(session)
    if listed != shelf.listed:
        there, here = str(listed).split(", "), shelf.listed.split(", ")
        first = next((k for k, pair in enumerate(zip(there, here, strict=False)) if pair[0] != pair[1]), None)
        k = min(len(there), len(here)) if first is None else first
        found, wanted = ((names[k][:60] if k < len(names) else "nothing") for names in (there, here))
        raise CheckpointError(f"the checkpoint has '{found}' where this session has '{wanted}'")
    floats, ints = shelf.sizes
    if len(raw) < 8 * (floats + ints):
        raise CheckpointError("the checkpoint ends before its last number")
    if len(raw) > 8 * (floats + ints):
        raise CheckpointError("the checkpoint goes on behind its last number")
    return Numbers(shelf, np.frombuffer(raw, "<f8", floats), np.frombuffer(raw, "<i8", ints, 8 * floats))


def _put_together(session: Session, head: dict[str, Any], t: float, raw: memoryview) -> None:
    """Numbers of the mechanism, switched parts and method as the checkpoint had them."""
    session.renumbered({str(name): number(name, value) for name, value in head["numbers"].items()})
    loop, off = session.loop, frozenset(map(str, head["off"]))
    blueprint = session.blueprint
    known = {*(joint.name for joint in blueprint.joints), *(part.name for part in blueprint.components)}
    if not off <= known:
        raise CheckpointError(f"the checkpoint switches {', '.join(sorted(off - known))}, which the mechanism has not")
    if off != loop.workspace.model.off:
        loop.exchange(session.events.workspace_without(off, frozenset(), t, _state_now(session, raw)))
    if (left_out := _left_out(head)) != (before := dropped_of(loop.workspace.model)):
        rows = {row.joint for row in loop.workspace.model.rows}
        if len(left_out) != len(before) or not {name for name, _ in left_out} <= rows:
            raise CheckpointError("the checkpoint leaves out equations which the mechanism has not, or needs")
        session.rows.use(without_rows(loop.workspace, left_out, t, _state_now(session, raw)))
    if session.takeover is not None:
        session.takeover.restore(session.takeover.read(head["takeover"], t))
    if bool(head["exact"]) != loop.workspace.plan.exact:
        loop.provide_exact(bool(head["exact"]))
    session.crossing.restore(session.crossing.read(head["crossing"], t))


def _left_out(head: dict[str, Any]) -> Dropped:
    """Redundant equations that bear no load."""
    return [(str(name), int(number("left_out", k))) for name, k in head["left_out"]]


def _state_now(session: Session, raw: memoryview) -> Array:
    """The state that a checkpoint stands in: it is in the same place whatever is switched."""
    where, _ = shelf_of(session).places["now"]
    y, model = np.frombuffer(raw[8 * where.start : 8 * where.stop]), session.prepared.model
    if y.size != session.y.size or not np.isfinite(y).all() or model.set.valid(y[model.layout.q]):
        raise CheckpointError("the checkpoint has 'now' with numbers that are not finite, or are no coordinates")
    return np.array(y)


__all__ = ["CheckpointError", "restore", "written"]
