"""The pieces of a study that are done, in memory or in a folder."""

from __future__ import annotations

from collections.abc import Iterator

from .folder import Folder
from .piece import Piece

NOT_DONE = "not done"


class Pieces:
    """`count` pieces of `size` variants. In a folder they are read when they are wanted, and none is kept in memory."""

    def __init__(self, variants: int, size: int, folder: Folder | None) -> None:
        self.variants, self.size, self.folder = variants, size, folder
        self.count = -(-variants // size)
        self._memory: dict[int, Piece] = {}
        self._done = [False] * self.count
        if folder is not None:
            self._done = [there and folder.read(k) is not None for k, there in enumerate(folder.done(self.count))]

    def span(self, k: int) -> tuple[int, int]:
        """The first variant of a piece, and the one after its last."""
        return k * self.size, min((k + 1) * self.size, self.variants)

    def is_done(self, k: int) -> bool:
        return self._done[k]

    def add(self, k: int, piece: Piece) -> None:
        if self.folder is None:
            self._memory[k] = piece
        else:
            self.folder.write(k, piece)
        self._done[k] = True

    def piece_of(self, variant: int) -> Piece | None:
        return self._read(variant // self.size)

    def __iter__(self) -> Iterator[tuple[int, int, Piece | None]]:
        """First and last variant of each piece, and the piece; None where it is not done."""
        return ((*self.span(k), self._read(k)) for k in range(self.count))

    def _read(self, k: int) -> Piece | None:
        if not self._done[k]:
            return None
        return self._memory[k] if self.folder is None else self.folder.read(k)
