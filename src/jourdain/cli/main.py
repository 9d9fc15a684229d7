"""`main`: arguments to a command, errors to one sentence and an exit code."""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from . import codes
from .parser import build_parser
from .streams import UnwrittenError, abandon_output, shown

# Where each command lives: a function of the parsed arguments that returns an exit code.
COMMANDS = {
    "run": "run:run",
    "check": "check_command:check",
    "assemble": "assemble_command:assemble",
    "compare": "check_command:compare",
    "kinematics": "kinematics_inverse:kinematics",
    "inverse": "kinematics_inverse:inverse",
    "live": "live_command:live",
    "replay": "replay_command:replay",
    "studio": "studio_command:studio",
    "derive": "derive_command:derive",
    "sensitivity": "sensitivity_command:sensitivity",
    "statics": "statics_and_modes:statics",
    "modes": "statics_and_modes:modes",
    "sweep": "sweep:sweep",
    "cycle": "cycle_command:cycle",
    "examples": "examples:examples",
    "types": "types_command:types",
    "plot": "pictures:plot",
    "draw": "pictures:draw",
    "animate": "pictures:animate",
    "report": "report_command:report",
    "schema": "schema_version:schema",
    "completion": "schema_version:completion",
    "version": "schema_version:version",
}


def main(argv: Sequence[str] | None = None) -> int:
    """The whole command line; returns the exit code."""
    with shown(), warnings.catch_warnings():
        # Of NumPy, about numbers that are too large: what comes of them is told by us.
        warnings.simplefilter("ignore", RuntimeWarning)
        return _main(argv)


def _main(argv: Sequence[str] | None) -> int:
    parser = build_parser()
    try:
        arguments = parser.parse_args(argv)
    except SystemExit as end:  # argparse ends the program after --help and after faults
        return int(end.code or 0)
    if arguments.command is None:
        parser.print_help()
        return codes.OK
    return guarded(arguments)


def guarded(arguments: Any) -> int:
    """Run a command; what goes wrong becomes one message on stderr, without a traceback."""
    from ..mechanism.errors import (
        EquilibriumError,
        JourdainError,
        MechanismError,
        MissingLibraryError,
        SimulationError,
    )

    room, _, name = COMMANDS[arguments.command].partition(":")
    try:
        code = getattr(import_module(f".{room}", __package__), name)(arguments)
        sys.stdout.flush()
        return int(code)
    except BrokenPipeError:
        abandon_output()
        return codes.BROKEN_PIPE
    except UnwrittenError as error:
        abandon_output()
        return _told(error, codes.UNWRITTEN)
    except KeyboardInterrupt:
        return _told("interrupted before there was anything to keep", codes.INTERRUPTED)
    except MissingLibraryError as error:
        return _told(error, codes.UNWRITTEN)
    except (SimulationError, EquilibriumError) as error:
        return _told(error, codes.FAILED)
    except (JourdainError, codes.UsageError) as error:
        if isinstance(error, MechanismError) and getattr(arguments, "json", False):
            faults = [fault.to_dict() for fault in error.faults]
            facts = {"mechanism": error.mechanism, "faults": faults}
            sys.stdout.write(json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
        return _told(error, codes.FAULTY)
    except OSError as error:
        return _told(sentence(error), codes.FAULTY)
    except MemoryError as error:
        return _told(f"there is not enough memory for this ({error or 'none is left'})", codes.FAILED)
    except Exception as error:
        if isinstance(error, KeyError) and " " in str(error.args[:1]):  # a channel or a point by a wrong name
            return _told(error.args[0], codes.FAULTY)
        if sys.flags.dev_mode:
            raise
        return _told(mistake(error), codes.MISTAKE)


def _told(message: object, code: int) -> int:
    sys.stderr.write(f"jourdain: {message}\n")
    return code


def mistake(error: Exception) -> str:
    """What nobody foresaw, and where it happened; `python -X dev -m jourdain` shows the way there."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    words = f"{type(error).__name__}: {error} ({Path(place.filename).name}, line {place.lineno})"
    return f"that is a mistake in jourdain itself, please report it: {words}"


def sentence(error: OSError) -> str:
    """What the system refused, and for which file."""
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason
