"""Names that changed. The old one works on for one minor version, with a warning that says the new one.

What to do when a public name changes: a line in `NAMES` (of `jourdain`), or `told_once_more` where an attribute or an
argument was; a line in CHANGELOG.md; and after the next minor version both go.
"""

from __future__ import annotations

import warnings

# Names of the package `jourdain`: old, new, and the version that changed it.
NAMES: dict[str, tuple[str, str]] = {}


def told_once_more(old: str, new: str, since: str, stacklevel: int = 3) -> None:
    """Warn that something is called otherwise now."""
    words = f"{old} is {new} since Jourdain {since}; the old way goes with the minor version after that"
    warnings.warn(words, DeprecationWarning, stacklevel=stacklevel)


def new_name(old: str) -> str | None:
    """What a name of the package is called now, with a warning; None where it was never one."""
    if old not in NAMES:
        return None
    new, since = NAMES[old]
    told_once_more(f"jd.{old}", f"jd.{new}", since, 4)
    return new
