"""What the user named on the command line: a mechanism file, an example, results, parameters, times."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..mechanism.builder import Mechanism
from ..mechanism.names import is_identifier, nearest
from .codes import UsageError

RESULTS = (".csv", ".nc", ".h5", ".hdf5")
MECHANISMS = (".yaml", ".yml", ".json")


def mechanism_path(name: str) -> Path:
    """The file of that name, or of the example of that name."""
    from ..files import gallery

    path = Path(name)
    if path.is_file():
        return path
    if path.is_dir():
        raise UsageError(f"'{name}' is a folder; expected a mechanism file or the name of an example")
    if name in gallery.example_names():
        return Path(gallery.path(name))
    if path.suffix or "/" in name:
        near = [str(p) for p in path.parent.glob("*") if p.suffix in MECHANISMS] if path.parent.is_dir() else []
        hint = f"; {nearest(name, near)}" if near else ""
        raise UsageError(f"there is no file '{name}'{hint}")
    raise UsageError(f"there is no file and no example '{name}'; {nearest(name, gallery.example_names())}")


def mechanism(name: str, settings: Iterable[str] = ()) -> Mechanism:
    """Read a mechanism, with parameters as `--set` gives them; a system is taken where a mechanism is."""
    path, values = mechanism_path(name), parameters(settings)  # before the reader is imported, which takes longest
    from ..modular.load_any import load

    numbers = {key: values.pop(key) for key in list(values) if "." in key}
    found: Any = load(path, values)
    if given := {key: numbers.pop(key) for key in list(numbers) if _is_given_to_a_type(found, key)}:
        found = load(path, {**values, **given})
    return _with_numbers(found, numbers) if numbers else found


def _is_given_to_a_type(found: Any, name: str) -> bool:
    """Whether a number is a parameter of a type, which is more than the number of one part."""
    written = found.frozen().written if isinstance(found, Mechanism) else None
    return written is not None and (name in found.frozen().parameters or written.gives(name))


def _with_numbers(m: Any, numbers: dict[str, Any]) -> Mechanism:
    """With other values of numbers such as `crank.mass`."""
    from ..library.number_units import number_in_si
    from ..mechanism.thawing import with_numbers

    if not isinstance(m, Mechanism):
        raise UsageError(f"--set {next(iter(numbers))}: of a file with subsystems only parameters can be set here")
    return with_numbers(m, {key: number_in_si(m.frozen(), key, value) for key, value in numbers.items()})


def variant(name: str, number: int) -> tuple[Mechanism, dict[str, Any]]:
    """The machine of a variant of the study in a folder, and the options of its run."""
    from ..mechanism.thawing import thawed
    from ..studies.load_study import load_study
    from ..studies.rerun import machine_of, options_of

    study = load_study(name)
    if not 0 <= number < len(study):
        raise UsageError(f"--variant {number}: '{name}' has variants 0 to {len(study) - 1}")
    values = study.variant(number).values
    return thawed(machine_of(study.plan, values)), options_of(study.plan, values)


def parameters(settings: Iterable[str]) -> dict[str, Any]:
    """`k=300`, `L=250 mm`, `crank.mass=3`: by name, as text, which the file's own rules then read."""
    found: dict[str, Any] = {}
    for text in settings:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not value or not all(map(is_identifier, name.split("."))):
            raise UsageError(f"--set {text!r}: expected NAME=VALUE, such as --set k=300 or --set 'L=250 mm'")
        if name in found:
            raise UsageError(f"--set {name} is given twice: {found[name]} and {value}")
        found[name] = number_or_text(value)
    return found


def number_or_text(value: str) -> float | str:
    try:
        return float(value)
    except ValueError:
        return value


def seconds(option: str, text: str | None) -> float | None:
    """A time, with or without unit."""
    if text is None:
        return None
    from ..mechanism.units import TIME, UnitError, in_si, unit

    plain = text.strip()
    digits = len(plain.rstrip("abcdefghijklmnopqrstuvwxyzµ "))
    written, symbol = plain[:digits], plain[digits:].strip()
    try:
        float(written)
        found = unit(symbol or "s")
    except (ValueError, UnitError):
        raise UsageError(f"{option} {text!r}: expected a time, such as 5, 0.01 or 20ms") from None
    if found.dimension != TIME:
        raise UsageError(f"{option} {text!r}: '{symbol}' is no unit of time; use s, ms or min")
    return in_si(written, found)


def is_results(name: str) -> bool:
    """Whether a file holds results rather than a mechanism; JSON may be either, and says which."""
    path = Path(name)
    if path.suffix.lower() in RESULTS:
        return True
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    from ..results.table_files import FORMAT

    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def listed(option: str, text: str | None, number: bool = False) -> list[Any] | None:
    """`a,b` as a list of names, or of numbers."""
    if text is None:
        return None
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words:
        raise UsageError(f"{option} is empty; expected names or numbers with commas between them")
    if not number:
        return words
    try:
        return [float(word) for word in words]
    except ValueError:
        raise UsageError(f"{option} {text!r}: expected numbers with commas between them") from None
