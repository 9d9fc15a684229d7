"""The door to the compiled code: imports Numba as late as possible and chooses where its cache lives.

Numba's own cache goes stale when a helper in another file changes, and fails where the package cannot be written.
So ours is a folder in the user's cache, keyed by a hash of the kernel sources and of what compiles them.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import os
import platform
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from ..kernels.coordinates import SETS
from .integrators import method_of

ACCELERATIONS = """accelerations($self, t, q, v, efforts=None, out=None)
--

Derivatives of the joint velocities, under gravity, the forces of the mechanism and efforts in the joints.

`efforts` are forces and torques along the joint velocities; `out` takes the result without a new array."""
KERNELS = Path(__file__).resolve().parent.parent / "kernels"


@dataclass(frozen=True)
class Kernels:
    """The kernel modules, imported."""

    context: ModuleType
    lanes: ModuleType
    blocks: ModuleType
    forces: ModuleType
    formulas: ModuleType
    tape: ModuleType
    rank: ModuleType
    rows: ModuleType
    system: ModuleType
    projection: ModuleType
    iterated: ModuleType
    ggl: ModuleType
    reduced: ModuleType
    events: ModuleType
    fixed_step: ModuleType
    adaptive: ModuleType
    radau_table: ModuleType

    def coordinate_set(self, space: str, name: str) -> Any:
        """The set of kernels that SETS names, imported when first used."""
        return _imported(SETS[space][name])

    def method(self, name: str) -> Any:
        """A method of the adaptive loop, imported when first used."""
        return _imported(f"jourdain.kernels.{method_of(name)}")


@functools.cache
def _imported(path: str) -> Any:
    module, _, member = path.partition(":")
    with own_cache():
        found = importlib.import_module(module)
    return getattr(found, member) if member else found


@functools.cache
def load_kernels() -> Kernels:
    """Import the kernels with their cache in our folder."""
    with own_cache():
        modules = {n: importlib.import_module(f"jourdain.kernels.{n}") for n in Kernels.__dataclass_fields__}
    return Kernels(**modules)


@dataclass(frozen=True)
class Recursion:
    """Kernels of joint coordinates: what both have in common, where their columns are, and the recursion itself.

    `quick` makes forward dynamics a built-in function, where that is possible; see `quick_accelerations`.
    """

    common: ModuleType
    columns: ModuleType
    kernels: ModuleType
    quick: Any


@functools.cache
def load_recursion(space: str) -> Recursion:
    """Import the recursion for the plane or for space, and compile it if it is not in the cache."""
    common = _imported("jourdain.kernels.recursion")
    kernels = _imported(f"jourdain.kernels.tree_{space}")
    columns = _imported(f"jourdain.kernels.{'recursion_planar' if space == 'planar' else 'joints_spatial'}")
    marker = cache_folder() / f"recursion-{space}.compiled"
    if not marker.exists():
        sys.stderr.write(f"jourdain: compiling the {space} recursion (once on this machine, about 10 s) ...\n")
        sys.stderr.flush()
    with own_cache():
        quick = _compile_recursion(common, kernels)
    marker.touch()
    return Recursion(common, columns, kernels, quick)


def quick_accelerations(recursion: Recursion, table: Any, ordinary: Any) -> Any:
    """Forward dynamics on a tree's table as a built-in function, or `ordinary`, which takes the same arguments.

    Unusual arguments go to `ordinary` in any case; the function keeps it alive, and the table.
    """
    if recursion.quick is None:
        return ordinary
    _, definition = recursion.quick
    words = recursion.common.words_for(table, ordinary)
    return recursion.common.direct.bound(definition, words, table, ordinary)


@functools.cache
def load_unpacking(space: str) -> Any:
    """What turns samples in joint coordinates into motions of links."""
    links = _imported("jourdain.kernels.relative_links")
    return links.unpack_2 if space == "planar" else links.unpack_3


@functools.cache
def recursion_entries(space: str) -> tuple[Any, Any]:
    """F_RHS and F_AFTER_STEP of trees, for the time loops."""
    recursion, context = load_recursion(space), load_kernels().context
    with own_cache():
        return context.entry(recursion.kernels.rhs), context.entry(recursion.common.after_step)


def _compile_recursion(common: Any, kernels: Any) -> Any:
    """Fixed types: what does not fit is refused by a TypeError instead of compiled anew."""
    from numba import cfunc, float64, int64

    direct = common.direct
    table, vector, matrix = int64[::1], float64[::1], float64[:, ::1]
    signatures = {
        common.rates: (table, vector, vector, vector),
        kernels.forward: (table, vector, vector, vector),
        kernels.inverse: (table, vector, vector, vector, vector),
        kernels.motion: (table, vector, vector, matrix),
        kernels.advance_branches: (table, vector, vector, vector, table, int64),
        kernels.advance_trunk: (table, vector, vector, vector, int64),
        kernels.apply_loads: (table, vector, vector),
        kernels.serve: (table, table, table, int64),
        kernels.mailbox.send: (table, vector, vector, vector, int64),
        kernels.mailbox.is_done: (table, int64),
    }
    for function, signature in signatures.items():
        if not function.signatures:
            function.compile(signature)
            function.disable_compile()
    if not direct.layout_known():
        return None
    entry = cfunc(int64(int64, int64, int64, int64), **common.context.OPTIONS)(kernels.accelerations)
    return entry, direct.definition(entry.address, "accelerations", ACCELERATIONS)


@functools.cache
def cache_folder() -> Path:
    """The folder of compiled kernels for these sources on this machine; a temporary one if none can be written."""
    digest = hashlib.sha256()
    for source in sorted(KERNELS.rglob("*.py")):
        digest.update(source.relative_to(KERNELS).as_posix().encode() + source.read_bytes())
    parts = (sys.version, version("numba"), version("numpy"), platform.machine(), platform.node(), str(KERNELS))
    digest.update(repr(parts).encode())
    bases = (os.environ.get("JOURDAIN_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME"), "~/.cache")
    for base in bases:
        if base:
            folder = Path(base).expanduser() / "jourdain" / f"kernels-{digest.hexdigest()[:16]}"
            try:
                folder.mkdir(parents=True, exist_ok=True)
                (folder / ".writable").touch()
            except OSError:
                continue
            return folder
    # Nobody else may write where compiled code is loaded from, so no fixed name in a shared temporary folder.
    return Path(tempfile.mkdtemp(prefix="jourdain-kernels-"))


@contextlib.contextmanager
def own_cache() -> Iterator[None]:
    """Numba picks a function's cache place when the function is decorated: point it at ours just then."""
    from numba.core import config

    before = config.CACHE_DIR
    config.CACHE_DIR = str(cache_folder())
    try:
        yield
    finally:
        config.CACHE_DIR = before
