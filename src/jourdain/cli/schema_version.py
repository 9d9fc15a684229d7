"""`jourdain schema`, `completion` and `version`."""

from __future__ import annotations

import json
import sys
from typing import Any

from . import codes


def schema(arguments: Any) -> int:
    """The JSON Schema of mechanism files."""
    from ..files import schema as of_files

    sys.stdout.write(json.dumps(of_files(arguments.file), indent=2, ensure_ascii=False) + "\n")
    return codes.OK


def completion(arguments: Any) -> int:
    """A script for a shell."""
    from .completion import script

    sys.stdout.write(script(arguments.shell))
    return codes.OK


def version(arguments: Any) -> int:
    """Ours, and of what results depend on."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as of_package

    from ..version import __version__

    def number(package: str) -> str:
        try:
            return of_package(package)
        except PackageNotFoundError:
            return "not installed"

    python = ".".join(str(n) for n in sys.version_info[:3])
    others = ", ".join(f"{name} {number(name)}" for name in ("numpy", "scipy", "numba"))
    sys.stdout.write(f"jourdain {__version__} (Python {python}, {others})\n")
    return codes.OK
