"""make cover: which lines of the kernels a short set of runs goes through, in plain Python (NUMBA_DISABLE_JIT=1).

Lines of compiled code cannot be counted. The table that is printed says for each file how many lines there are, how
many were not run, and which. Whatever fails is told first; then the status is not zero.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import time
import warnings

from campaign import ROOT

KERNELS = ROOT / "src" / "jourdain" / "kernels"
# What makes machine code is not run in Python; kernels/core/plain.py has what stands in its place.
NOT_IN_PYTHON = (
    r"^\s*@intrinsic",
    r"^\s*@lower_",
    r"^\s*@overload",
    r"^ *def generic\(",
    r"^def _(over|view)\(context",
)


def main() -> int:
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    import coverage

    os.chdir(KERNELS)  # names in the table are seen from here
    watch = coverage.Coverage(data_file=None, config_file=False, source=["."])
    for pattern in NOT_IN_PYTHON:
        watch.exclude(pattern)
    begun = time.perf_counter()
    with watch.collect():
        failed = _run_all()
    whole = watch.report(show_missing=True, skip_empty=True)
    print(f"{whole:.1f} % of the lines of kernels/, in {time.perf_counter() - begun:.0f} s")
    return int(failed)


def _run_all() -> bool:
    """Whether anything failed; how it failed is said at once."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "examples")]
    import jourdain as jd
    from cover_set import runs

    failed = False
    warnings.simplefilter("ignore", jd.SimulationWarning)
    for name, run in runs():
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                run()
        except jd.ChoiceError:  # not every way fits every machine
            continue
        except Exception as error:  # noqa: BLE001  (told; the others go on)
            print(f"FAILED  {name}: {type(error).__name__}: {error}", flush=True)
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
