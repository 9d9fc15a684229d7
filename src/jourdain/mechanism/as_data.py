"""A builder as data: equal to another that holds the same, and fit to be pickled and copied."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .parts import Blueprint


class AsData(ABC):
    """What has a frozen form."""

    @abstractmethod
    def frozen(self) -> Blueprint:
        """As it stands now."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AsData) and self.frozen() == other.frozen()

    __hash__ = object.__hash__  # one that is being built is itself, whatever it holds

    def __getstate__(self) -> dict[str, Any]:
        self.frozen().__getstate__()  # which names what cannot be pickled
        return self.__dict__
