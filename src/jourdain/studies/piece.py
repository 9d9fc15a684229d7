"""What came of some variants in a row, as arrays: what pieces keep in a folder, and what workers send back."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

_COLUMN = "column."


@dataclass(frozen=True)
class Piece:
    """Variants `first` to before `last`: what was collected, which came to their end, and sentences of some."""

    first: int
    last: int
    columns: dict[str, Array]
    ok: npt.NDArray[np.bool_]
    steps: npt.NDArray[np.int64]
    sentences: dict[int, str]  # by number of the variant: why it failed, or what there is to know

    def to_bytes(self) -> bytes:
        held: dict[str, Any] = {_COLUMN + name: column for name, column in self.columns.items()}
        words = json.dumps({str(k): text for k, text in self.sentences.items()}).encode()
        held |= {"span": np.array([self.first, self.last]), "ok": self.ok, "steps": self.steps}
        memory = io.BytesIO()
        np.savez(memory, sentences=np.frombuffer(words, dtype=np.uint8), **held)
        return memory.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes) -> Piece:
        """Raises ValueError or KeyError where it is no piece."""
        with np.load(io.BytesIO(content), allow_pickle=False) as held:
            columns = {name.removeprefix(_COLUMN): held[name] for name in held.files if name.startswith(_COLUMN)}
            words = json.loads(held["sentences"].tobytes())
            first, last = held["span"].tolist()
            sentences = {int(k): text for k, text in words.items()}
            return cls(first, last, columns, held["ok"], held["steps"], sentences)

    @classmethod
    def joined(cls, pieces: list[Piece]) -> Piece:
        """Pieces that follow each other as one."""
        columns = {name: np.concatenate([piece.columns[name] for piece in pieces]) for name in pieces[0].columns}
        ok, steps = (np.concatenate([getattr(piece, key) for piece in pieces]) for key in ("ok", "steps"))
        sentences = {k: text for piece in pieces for k, text in piece.sentences.items()}
        return cls(pieces[0].first, pieces[-1].last, columns, ok, steps, sentences)

    @classmethod
    def lost(cls, first: int, last: int, shapes: dict[str, tuple[int, ...]], sentence: str) -> Piece:
        """Variants of which there is nothing but why."""
        n = last - first
        columns = {name: np.full((n, *shape), np.nan) for name, shape in shapes.items()}
        sentences = dict.fromkeys(range(first, last), sentence)
        return cls(first, last, columns, np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int64), sentences)
