"""What a worker does: it gets a study as data, prepares it once, and runs the pieces that it is told to."""

from __future__ import annotations

import json
import threading
import zlib
from typing import Any, NamedTuple

from .code_version import Code
from .collected import Function, Item, read_items
from .design import Design
from .subject import Subject
from .workshop import Plan, Workshop

_own = threading.local()


class Answer(NamedTuple):
    """A piece as bytes, the processor it was computed on, and why it was refused."""

    piece: bytes
    cpu: str
    refused: str = ""


def packed(plan: Plan) -> bytes:
    """A plan to be sent; functions among what is collected go beside it."""
    collect = {item.name: item.text for item in plan.items if item.function is None}
    order = [item.name for item in plan.items]
    data = {
        "subject": plan.subject.to_data(),
        "design": plan.design.to_data(),
        "collect": collect,
        "order": order,
        "times": dict(plan.times),
        "choices": dict(plan.choices),
        "lanes": plan.lanes,
        "code": list(Code.here()),
    }
    return zlib.compress(json.dumps(data).encode())


def functions_of(plan: Plan) -> dict[str, Function]:
    return {item.name: item.function for item in plan.items if item.function is not None}


def run_piece(payload: bytes, functions: dict[str, Function], first: int, last: int) -> Answer:
    """Run variants `first` to before `last`; called on a worker."""
    workshop = _workshop(payload, functions)
    here = Code.here()
    if isinstance(workshop, str):
        return Answer(b"", here.cpu, workshop)
    return Answer(workshop.run(first, last).to_bytes(), here.cpu)


def _workshop(payload: bytes, functions: dict[str, Function]) -> Workshop | str:
    """That of this thread for this study; or why the study cannot be run here."""
    if getattr(_own, "payload", None) != payload:
        data = json.loads(zlib.decompress(payload))
        why = Code(*data["code"]).why_not(Code.here())
        _own.payload, _own.workshop = payload, why or Workshop(_plan(data, functions), threads=1)
    workshop: Workshop | str = _own.workshop
    return workshop


def _plan(data: dict[str, Any], functions: dict[str, Function]) -> Plan:
    known = {item.name: item for item in read_items(data["collect"])} if data["collect"] else {}
    for name, function in functions.items():
        known[name] = Item(name, getattr(function, "__name__", "function"), function=function)
    items = tuple(known[name] for name in data["order"])
    design = Design.from_data(data["design"])
    return Plan(Subject.from_data(data["subject"]), design, items, data["times"], data["choices"], data["lanes"])
