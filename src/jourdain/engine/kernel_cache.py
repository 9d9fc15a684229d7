"""The door to the compiled code: imports Numba as late as possible and chooses where its cache lives.

Numba's own cache goes stale when a helper in another file changes, and fails where the package cannot be written.
So ours is a folder in the user's cache, keyed by a hash of the kernel sources and of what compiles them.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import hashlib
import importlib
import os
import platform
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from ..interrupts import held_back
from ..mechanism.errors import JourdainError
from ..mechanism.telling import tell
from .kept_code import is_private, keep, kept_files, say_once
from .numba_bound import check_version

ACCELERATIONS = """accelerations($self, t, q, v, efforts=None, out=None)
--

Derivatives of the joint velocities, under gravity, the forces of the mechanism and efforts in the joints.

`efforts` are forces and torques along the joint velocities; `out` takes the result without a new array."""
_compiling = threading.RLock()
# What changes the code that Numba makes, besides versions and the machine.
SETTINGS = ("BOUNDSCHECK", "CPU_NAME", "CPU_FEATURES", "DEBUGINFO", "DISABLE_JIT", "ENABLE_AVX", "OPT")
KERNELS = Path(__file__).resolve().parent.parent / "kernels"
# Kernels that every run needs, and where each is.
_ROOMS = {
    **dict.fromkeys(("context", "lane_numbers", "applied_forces", "formula_parts", "tape"), "core"),
    **dict.fromkeys(("constraint_rows", "dynamics"), "core"),
    **dict.fromkeys(("block_factor", "rank_revealing", "projection"), "treatments"),
    **dict.fromkeys(("iterated", "unknown_multipliers", "reduced"), "treatments"),
    **dict.fromkeys(("event_search", "fixed_loop", "adaptive_loop", "radau_table"), "integrators"),
}


@dataclass(frozen=True)
class Kernels:
    """The kernel modules, imported."""

    context: ModuleType
    lane_numbers: ModuleType
    applied_forces: ModuleType
    formula_parts: ModuleType
    tape: ModuleType
    constraint_rows: ModuleType
    dynamics: ModuleType
    block_factor: ModuleType
    rank_revealing: ModuleType
    projection: ModuleType
    iterated: ModuleType
    unknown_multipliers: ModuleType
    reduced: ModuleType
    event_search: ModuleType
    fixed_loop: ModuleType
    adaptive_loop: ModuleType
    radau_table: ModuleType

    def method(self, name: str) -> Any:
        """A kernel that few runs need, imported when first used."""
        return imported(f"jourdain.kernels.{name}")


@functools.cache
def _settings() -> Any:
    """Numba's settings, the first that is imported of it."""
    check_version(version("numba"))
    from numba.core import config

    return config


@functools.cache
def in_python() -> bool:
    """Whether nothing is compiled: kernels run in Python, to be stepped through (kernels/core/plain.py)."""
    return bool(_settings().DISABLE_JIT)


@functools.cache
def imported(path: str) -> Any:
    """A module, or after a colon something in it, with its cache in our folder."""
    module, _, member = path.partition(":")
    with own_cache():
        found = importlib.import_module(module)
    return getattr(found, member) if member else found


@functools.cache
def load_kernels() -> Kernels:
    """Import the kernels with their cache in our folder."""
    with own_cache():
        found = {name: importlib.import_module(f"jourdain.kernels.{room}.{name}") for name, room in _ROOMS.items()}
    return Kernels(**found)


@dataclass(frozen=True)
class TreeKernels:
    """Kernels of joint coordinates: what both have in common, where their columns are, and the recursion itself."""

    space: str
    common: ModuleType
    columns: ModuleType
    kernels: OnDemand


class OnDemand:
    """Kernels for Python in a module, each compiled when first asked for, for fixed types only.

    What `make_name` makes of a recursion is called `name` here. What does not fit its types is refused by a TypeError
    instead of compiled anew.
    """

    def __init__(self, module: ModuleType, space: str) -> None:
        self._module, self._space = module, space

    def __getattr__(self, name: str) -> Any:
        with own_cache():
            make = getattr(self._module, f"make_{name}", None)
            found = make(_recursion_of(self._space)) if make is not None else getattr(self._module, name)
        if isinstance(found, ModuleType):
            found = OnDemand(found, self._space)
        elif (signature := _tree_signatures().get(name)) is not None and not in_python() and not found.signatures:
            with announced(f"{name} of the {self._space} recursion", f"recursion-{self._space}-{name}"), own_cache():
                found.compile(signature)
            found.disable_compile()
        self.__dict__[name] = found
        return found


@functools.cache
def _tree_signatures() -> dict[str, tuple[Any, ...]]:
    from numba import float64, int64

    table, vector = int64[::1], float64[::1]
    return {
        "rates": (table, vector, vector, vector),
        "forward": (table, vector, vector, vector),
        "inverse": (table, vector, vector, vector, vector),
        "advance_branches": (table, vector, vector, vector, table, int64),
        "advance_trunk": (table, vector, vector, vector, int64),
        "apply_loads": (table, vector, vector),
        "serve": (table, table, table, int64),
        "send": (table, vector, vector, vector, int64),
        "is_done": (table, int64),
    }


@contextlib.contextmanager
def announced(what: str, name: str) -> Iterator[None]:
    """Say that something is compiled, if it is not in the cache; a file of that name there says that it is."""
    if in_python():
        yield
        return
    marker = cache_folder() / f"{name}.compiled"
    if not marker.exists():
        tell(f"compiling {what} (once on this machine) ...")
    yield
    keep(marker)


def _recursion_of(space: str) -> Any:
    return imported(f"jourdain.kernels.tree.articulated_{space}")


@functools.cache
def load_recursion(space: str) -> TreeKernels:
    """Import the recursion for the plane or for space."""
    common = imported("jourdain.kernels.tree.table")
    kernels = imported("jourdain.kernels.tree.forward")
    columns = imported(f"jourdain.kernels.layout.link_columns_{space}")
    return TreeKernels(space, common, columns, OnDemand(kernels, space))


def quick_accelerations(recursion: TreeKernels, workspace: Any, ordinary: Any) -> Any:
    """Forward dynamics in a workspace as a built-in function, or `ordinary`, which takes the same arguments.

    Unusual arguments go to `ordinary` in any case; the function keeps it alive, and the workspace.
    """
    direct = recursion.common.direct
    if in_python() or not direct.layout_known():
        return ordinary
    _, definition = _quick(recursion.space)
    return direct.bound(definition, recursion.common.words_for(workspace.ctx, ordinary), workspace, ordinary)


@functools.cache
def _quick(space: str) -> tuple[Any, Any]:
    """The compiled function behind it, and what Python must know of it."""
    from numba import cfunc, int64

    recursion = load_recursion(space)
    common = recursion.common
    with announced(f"accelerations of the {space} recursion", f"recursion-{space}-quick"), own_cache():
        compiled = cfunc(int64(int64, int64, int64, int64), **common.context.OPTIONS)(recursion.kernels.accelerations)
    return compiled, common.direct.definition(compiled.address, "accelerations", ACCELERATIONS)


@functools.cache
def compiled_from() -> str:
    """A digest of what decides the machine code of kernels, wherever it is compiled; the processor is not in it."""
    digest = hashlib.sha256()
    for source in sorted(KERNELS.rglob("*.py")):
        digest.update(source.relative_to(KERNELS).as_posix().encode() + source.read_bytes())
    parts = (version("numba"), version("numpy"), platform.machine())
    settings = tuple(os.environ.get(f"NUMBA_{name}", "") for name in SETTINGS)
    digest.update(repr((parts, settings)).encode())
    return digest.hexdigest()


@functools.cache
def cache_folder() -> Path:
    """The folder of compiled kernels for these sources on this machine; a temporary one if none can be used."""
    parts = (compiled_from(), sys.version, platform.node(), str(KERNELS))
    name = f"kernels-{hashlib.sha256(repr(parts).encode()).hexdigest()[:16]}"
    bases = (os.environ.get("JOURDAIN_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME"), "~/.cache")
    for base in bases:
        if base and (folder := _usable(Path(base).expanduser(), name)) is not None:
            return folder
    # Nobody else may write where compiled code is loaded from, so no fixed name in a shared temporary folder.
    try:
        own = Path(tempfile.mkdtemp(prefix="jourdain-"))
        atexit.register(shutil.rmtree, own, ignore_errors=True)
        folder = own / "jourdain" / name
        folder.mkdir(parents=True)
    except OSError as error:
        words = f"no folder for compiled code can be written ({error.strerror or error})"
        raise JourdainError(f"{words}; name one in the environment variable JOURDAIN_CACHE_DIR") from None
    return folder


def _usable(base: Path, name: str) -> Path | None:
    """The folder of that name for compiled code under a base, if it can be written, and by nobody else."""
    ours = base / "jourdain"
    try:
        base.mkdir(parents=True, exist_ok=True)
        for folder in (ours, ours / name):
            folder.mkdir(mode=0o700, exist_ok=True)
        (ours / name / ".writable").touch()
        open_to_others = [folder for folder in (ours / name, ours, base) if not is_private(folder)]
    except (OSError, ValueError, RuntimeError):  # no such place, or no home
        return None
    if open_to_others:
        say_once(
            f"others can write to {open_to_others[0]}, so no compiled code is loaded from it or kept there; take that "
            "right away (chmod go-w), or name another folder in JOURDAIN_CACHE_DIR"
        )
        return None
    return ours / name


@contextlib.contextmanager
def own_cache() -> Iterator[None]:
    """Numba picks a function's cache place when the function is decorated: point it at ours just then.

    One thread at a time: the place is one for all of them. Ctrl-C waits for what is being compiled.
    """
    with _compiling, held_back():
        config = _settings()
        caching: Any = importlib.import_module("numba.core.caching")
        before, files = config.CACHE_DIR, caching.IndexDataCacheFile
        config.CACHE_DIR, caching.IndexDataCacheFile = str(cache_folder()), kept_files()
        try:
            yield
        finally:
            config.CACHE_DIR, caching.IndexDataCacheFile = before, files
