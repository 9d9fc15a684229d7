"""Helpers inside kernels are compiled as far as their callers need them: to code that can be woven in, no further.

Numba makes machine code of every function, also of one that nobody can call but compiled code, which takes a copy of
it before that step. Leaving the step out saves a tenth of the time to compile; what is made of callers is the same.
"""

from __future__ import annotations

from functools import partial

from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering


def _ends_as_copy(library):
    """Instead of `_finalize_final_module`: what is there can be copied into callers, and is not run itself."""
    library._finalize_dynamic_globals()
    library._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class HelperLowering(NativeLowering):
    _name = "jourdain_helper_lowering"

    def run_pass(self, state):
        library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library._finalize_final_module = partial(_ends_as_copy, library)
        state.library = library
        state.flags.no_compile = True
        super().run_pass(state)
        # What callers know it by. Numba wants a built-in, and this one raises TypeError, should Python ever call it.
        name = (_ for _ in ()).throw
        state.targetctx.insert_user_function(name, state.cr.fndesc, [library])
        state["cr"] = state.cr._replace(cfunc=name)
        return True


class HelperCompiler(Compiler):
    def define_pipelines(self):
        pipelines = super().define_pipelines()
        for manager in pipelines:
            manager.passes = [
                (HelperLowering, words) if kind is NativeLowering else (kind, words) for kind, words in manager.passes
            ]
            manager._finalized = False
            manager.finalize()
        return pipelines
