"""Which code computed a piece. The same bits can be had only from the same code on the same kind of processor."""

from __future__ import annotations

from typing import NamedTuple

from ..engine.kernel_cache import compiled_from
from ..version import __version__


class Code(NamedTuple):
    """This release, what its kernels are made of, and the processor they are compiled for."""

    jourdain: str
    kernels: str
    cpu: str

    @classmethod
    def here(cls) -> Code:
        from llvmlite.binding import get_host_cpu_name

        return cls(__version__, compiled_from(), get_host_cpu_name())

    def why_not(self, other: Code) -> str:
        """Why what another code computed cannot stand beside this; empty if it can. Processors may differ."""
        if other.jourdain != self.jourdain:
            return f"jourdain {other.jourdain} there and {self.jourdain} here"
        if other.kernels != self.kernels:
            return "other kernels, or another Numba, there than here"
        return ""
