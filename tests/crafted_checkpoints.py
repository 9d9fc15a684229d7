"""Checkpoints taken apart and put together with a checksum that is right, whatever they say."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np

from jourdain.session.checkpoint import CHECKSUM, HEAD, MAGIC, VERSION, _checksum

Arrays = dict[str, Any]


def opened(mark: bytes) -> tuple[dict[str, Any], Arrays]:
    """Head and arrays, the arrays one's own."""
    _, _, length = HEAD.unpack_from(mark)
    head = json.loads(mark[HEAD.size : HEAD.size + length])
    at, arrays = HEAD.size + length, {}
    for entry in head["arrays"].split(", "):
        name, kind, sizes = entry.split(" ")
        shape = [int(n) for n in sizes.split("x")]
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(mark, np.dtype(kind), count, at).reshape(shape).copy()
        at += 8 * count
    return head, arrays


def entries(arrays: Arrays) -> str:
    """How a head lists them."""
    return ", ".join(f"{name} {a.dtype.str[1:]} {'x'.join(map(str, a.shape))}" for name, a in arrays.items())


def packed(head: Any, arrays: Arrays, *, version: int = VERSION, listed: Any = None) -> bytes:
    """Bytes whose checksum is right. The head lists the arrays as they are, or as `listed` says."""
    if isinstance(head, dict):
        head = copy.deepcopy(head)
        head["arrays"] = entries(arrays) if listed is None else listed
    text = head if isinstance(head, bytes) else json.dumps(head).encode()
    body = HEAD.pack(MAGIC, version, len(text)) + text + b"".join(a.tobytes() for a in arrays.values())
    return body + _checksum(body)


def sealed(body: bytes) -> bytes:
    """Any bytes with a checksum that is right."""
    return body + _checksum(body)


__all__ = ["CHECKSUM", "HEAD", "entries", "opened", "packed", "sealed"]
