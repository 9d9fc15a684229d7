"""What holds memory, locks or functions of its own and so is no data: it is neither pickled nor copied, and says so."""

from __future__ import annotations

import pickle
from typing import Any, ClassVar, SupportsIndex


class StaysHere:
    """`INSTEAD` says what can be kept or sent."""

    INSTEAD: ClassVar[str] = "keep its checkpoint(), which is bytes, and restore it in another one"

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        name = type(self).__name__
        raise pickle.PicklingError(f"a {name} can be neither pickled nor copied; {self.INSTEAD}")
