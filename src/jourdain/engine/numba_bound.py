"""Versions of Numba that the kernels are known to work with, and all that is used of its inside.

Arrays over memory that Python owns, calls by address and a number type of vector lanes need parts of Numba that it does
not promise to keep. They are listed here, so that a version which lacks one is found out by a test, not by a crash; and
other versions than those tried are refused. To go on to a newer one: install it, run the tests, move BELOW and the
bound in pyproject.toml.
"""

from __future__ import annotations

import re

from ..mechanism.errors import JourdainError

FROM, BELOW = (0, 62), (0, 69)
PUBLIC = ("numba", "numba.extending")  # what these export is documented

# Names as they are imported, and what is reached through them.
PRIVATE = (
    "numba.core.caching.IndexDataCacheFile._data_path",
    "numba.core.caching.IndexDataCacheFile._dump",
    "numba.core.caching.IndexDataCacheFile._load_data",
    "numba.core.caching.IndexDataCacheFile._load_index",
    "numba.core.caching.IndexDataCacheFile._open_for_write",
    "numba.core.caching.IndexDataCacheFile._save_data",
    "numba.core.caching.IndexDataCacheFile.save",
    "numba.core.cgutils.get_or_insert_function",
    "numba.core.cgutils.intp_t",
    "numba.core.cgutils.unpack_tuple",
    "numba.core.compiler.Compiler.define_pipelines",
    "numba.core.compiler.Flags.no_compile",
    "numba.core.compiler_machinery.PassManager.finalize",
    "numba.core.compiler_machinery.register_pass",
    "numba.core.config.CACHE_DIR",
    "numba.core.config.DISABLE_JIT",
    "numba.core.errors.NumbaError",
    "numba.core.typeconv.Conversion.safe",
    "numba.core.typing.templates.AbstractTemplate",
    "numba.core.typing.templates.infer_global",
    "numba.core.typing.templates.signature",
    "numba.core.typed_passes.NativeLowering.run_pass",
    "numba.np.arrayobj.populate_array",
    # of the contexts that intrinsics are given
    "numba.core.base.BaseContext.cast",
    "numba.core.base.BaseContext.get_abi_sizeof",
    "numba.core.base.BaseContext.get_data_type",
    "numba.core.base.BaseContext.get_dummy_value",
    "numba.core.base.BaseContext.insert_user_function",
    "numba.core.base.BaseContext.make_array",
    "numba.core.base.BaseContext.make_complex",
    "numba.core.typing.context.BaseContext.unify_types",
    # options of njit and cfunc
    "numba.core.options.DefaultOptions._nrt",
    "numba.core.options.DefaultOptions.forceinline",
    "numba.core.options.DefaultOptions.no_cfunc_wrapper",
    "numba.core.options.DefaultOptions.no_cpython_wrapper",
    # of what njit and cfunc give
    "numba.core.ccallback.CFunc.address",
    "numba.core.ccallback.CFunc.native_name",
    "numba.core.dispatcher.Dispatcher.compile",
    "numba.core.dispatcher.Dispatcher.disable_compile",
    "numba.core.dispatcher.Dispatcher.signatures",
    # of the libraries that helpers are compiled into
    "numba.core.codegen.CPUCodegen.create_library",
    "numba.core.codegen.CPUCodeLibrary._finalize_dynamic_globals",
    "numba.core.codegen.CPUCodeLibrary._finalize_final_module",
)


def requirement() -> str:
    """The bound as pip writes it."""
    low, high = (".".join(map(str, end)) for end in (FROM, BELOW))
    return f"numba>={low},<{high}"


def check_version(installed: str) -> None:
    """Refuse a version that was not tried."""
    found = re.match(r"(\d+)\.(\d+)", installed)
    if found is None or not FROM <= (int(found[1]), int(found[2])) < BELOW:
        age = "older" if found is not None and (int(found[1]), int(found[2])) < FROM else "newer"
        raise JourdainError(
            f"numba {installed} is installed, which is {age} than those that the kernels are known to work with: they "
            f"use parts of Numba that change from version to version. Install one that fits: "
            f"pip install '{requirement()}'"
        )
