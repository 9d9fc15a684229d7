"""Results read back from a file: channels, units and metadata; drawings too, where the file keeps the mechanism."""

from __future__ import annotations

import csv
import json
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.channels import unnamed
from ..library.quantities import Quantity
from ..mechanism.arguments import asked
from ..mechanism.csv_columns import heading
from ..mechanism.display import Display, factor_of, si_unit
from ..mechanism.equality import equal_by
from ..mechanism.errors import ResultsError
from ..mechanism.names import nearest
from ..mechanism.parts import GROUND, Blueprint, PortName
from ..mechanism.rotations import matrix_from_quaternion
from ..mechanism.units import UnitError
from ..optional import need
from . import formula_values
from .record import Record
from .status import Status
from .table_files import EVENT_MARK, FORMAT, FORMAT_VERSION, table_kind

Array = npt.NDArray[np.float64]


@asked
def load_results(path: str | Path) -> Reloaded:
    """Read a file that `to_csv`, `to_json`, `to_netcdf` or `to_hdf5` wrote."""
    if Path(path).exists() and not Path(path).is_file():
        raise ResultsError(f"{path} cannot be read: it is a folder, a pipe or a device")
    read = {".csv": _read_csv, ".json": _read_json}.get(table_kind(path), _read_hdf5)
    try:
        return read(Path(path))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, csv.Error) as error:
        reason = f"there is no {error}" if isinstance(error, KeyError) else str(error)
        raise ResultsError(f"{path} is damaged, or no file of results: {reason}") from None


@equal_by("t", "_values", "metadata")
class Reloaded(Record):
    """Channels of a run that was kept in a file. `metadata` is what the file says of it; a CSV says nothing."""

    def __init__(
        self, path: Path, t: Array, values: dict[str, Array], kinds: dict[str, Quantity], metadata: dict[str, Any]
    ) -> None:
        self.path = path
        self.t = t
        self._values = values
        self._kinds = kinds
        self._metadata = metadata

    @property
    def name(self) -> str:
        return str(self._metadata.get("mechanism", self.path.stem))

    @property
    def channels(self) -> list[str]:
        return list(self._values)

    @property
    def metadata(self) -> dict[str, Any]:
        return dict(self._metadata)

    @property
    def status(self) -> Status:
        """How the run ended, as the file says it; a CSV says nothing."""
        notes = tuple(self._metadata.get("notes", ()))
        return Status(bool(self._metadata.get("complete", True)), str(self._metadata.get("status", "")), notes)

    def channel(self, name: str) -> Array:
        if name not in self._values:
            raise KeyError(f"no channel '{name}' in {self.path}; {nearest(name, self._values)}")
        return self._values[name]

    def quantity(self, channel: str) -> Quantity:
        if channel not in self._values and formula_values.is_formula(channel):
            return formula_values.quantity(self, channel)
        return self._kinds.get(channel) or unnamed(channel)

    @property
    def events(self) -> dict[str, Reloaded]:
        """When each event happened, as `run.events["name"].t`; what the channels were then, files do not keep."""
        return {name: Reloaded(self.path, np.array(times), {}, {}, {}) for name, times in self.event_times.items()}

    @property
    def event_times(self) -> dict[str, list[float]]:
        """When each event happened, s."""
        return {name: list(times) for name, times in self._metadata.get("events", {}).items()}

    @property
    def display(self) -> Display:
        """In SI, as files keep numbers, unless somebody asks for units."""
        return Display.of(self._metadata.get("display"))

    @property
    def size(self) -> float:
        return float(self._metadata["size"])

    @cached_property
    def blueprint(self) -> Blueprint:
        text = self._metadata.get("mechanism_file")
        if not text:
            raise ResultsError(
                f"{self.path} does not keep the mechanism, so it cannot be drawn; .json and .nc files of mechanisms "
                "without Python functions do"
            )
        from ..files import load

        return load(text + "\n").frozen()

    @cached_property
    def poses(self) -> KeptPoses:
        return KeptPoses(self)

    def summary(self) -> str:
        kept = self._metadata.get("summary")
        if kept:
            return str(kept)
        start, end = (f"{x:g}" for x in (self.t[0], self.t[-1])) if self.t.size else ("-", "-")
        return f"{'file':>10}  {self.path}\n{'time':>10}  {start} to {end} s, {len(self.t)} samples"

    def __repr__(self) -> str:
        return f"<results of {self.name} from {self.path}: {len(self.t)} samples, {len(self._values)} channels>"


class KeptPoses:
    """Poses of all bodies, from the channels of their origins."""

    def __init__(self, record: Reloaded) -> None:
        self._blueprint = record.blueprint
        self._names = {body.name: k for k, body in enumerate(self._blueprint.bodies)}
        plane = self._blueprint.dim == 2
        needed = ("x", "y", "angle") if plane else ("x", "y", "z", "qw", "qx", "qy", "qz")
        missing = [f"{b}.{c}" for b in self._names for c in needed if f"{b}.{c}" not in record.channels]
        if missing:
            words = ", ".join(missing[:6]) + (", ..." if len(missing) > 6 else "")
            raise ResultsError(f"{record.path} cannot be drawn: it lacks the channels {words}")
        columns = np.array([[record[f"{body}.{c}"] for c in needed] for body in self._names]).transpose(2, 0, 1)
        dim = self._blueprint.dim
        self.position: Array = columns[..., :dim]
        if plane:
            turn = columns[..., 2]
            c, s = np.cos(turn), np.sin(turn)
            self.frame: Array = np.stack([np.stack([c, -s], axis=-1), np.stack([s, c], axis=-1)], axis=-2)
        else:
            shape = (*columns.shape[:2], 3, 3)
            flat = [matrix_from_quaternion(q.tolist()) for q in columns[..., 3:].reshape(-1, 4)]
            self.frame = np.array(flat).reshape(shape)

        speeds = ("vx", "vy", "spin") if plane else ("vx", "vy", "vz", "wx", "wy", "wz")
        self.velocity: Array | None = None
        self.spin: Array | None = None
        if all(f"{b}.{c}" in record.channels for b in self._names for c in speeds):
            columns = np.array([[record[f"{body}.{c}"] for c in speeds] for body in self._names]).transpose(2, 0, 1)
            self.velocity, self.spin = columns[..., :dim], columns[..., dim:]

    def index(self, body: str) -> int:
        return self._names[body]

    def place(self, port: PortName) -> Array:
        at = np.array(self._blueprint.port(port).at, dtype=float)
        if port.body == GROUND:
            return np.tile(at, (len(self.frame), 1))
        b = self.index(port.body)
        return np.asarray(self.position[:, b] + self.frame[:, b] @ at)


# Readers --------------------------------------------------------------------------------------------------------


def _read_csv(path: Path) -> Reloaded:
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    rows = [row for row in rows if row and not row[0].startswith("#")]
    events = _events_of(rows[0][-1], path) if rows and rows[0][-1].startswith(EVENT_MARK) else {}
    rows = [row[:-1] for row in rows] if events else rows
    headings = [heading(cell) for cell in rows[0]] if rows else []
    header = [name for name, _ in headings]
    if not header or header[0] != "t":
        raise ResultsError(f"{path} is no table of results: its first line must be 't' and names of channels")
    values = np.full((len(rows) - 1, len(header)), np.nan)
    for k, row in enumerate(rows[1:]):
        try:
            numbers = [float(cell) for cell in row]
        except ValueError:
            numbers = []
        if len(numbers) != len(header):
            found = ",".join(row)[:60]
            raise ResultsError(f"{path}:{k + 2}: expected {len(header)} numbers, found {found!r}")
        values[k] = numbers
    scales = [_unit_of(text)[0] for _, text in headings]
    columns = {n: values[:, k] * scales[k] for k, n in enumerate(header) if k}
    kinds = {n: Quantity(unnamed(n).name, _unit_of(text)[1]) for n, text in headings[1:] if text}
    metadata = {"events": events} if events else {}
    return Reloaded(path, values[:, 0] * scales[0], columns, kinds, metadata)


def _unit_of(text: str) -> tuple[float, str]:
    """What a unit in a header is worth, and what it is in SI; words like `m or rad`, which are none, stay."""
    try:
        return (factor_of(text), si_unit(text)) if text else (1.0, "")
    except UnitError:
        return 1.0, text


def _events_of(text: str, path: Path) -> dict[str, list[float]]:
    try:
        found = json.loads(text.removeprefix(EVENT_MARK))
        return {str(name): [float(t) for t in times] for name, times in found.items()}
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ResultsError(f"{path}:1: the times of events in the last heading cannot be read ({error})") from error


def _read_json(path: Path) -> Reloaded:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ResultsError(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ResultsError(f'{path} is no file of results: it lacks "format": "{FORMAT}"')
    _check_version(path, content.get("version"))

    def array(numbers: list[float | None]) -> Array:
        return np.array([np.nan if x is None else x for x in numbers], dtype=float)

    values = {name: array(numbers) for name, numbers in content["channels"].items()}
    kinds = {n: Quantity(content["quantities"][n], content["units"][n]) for n in values}
    return Reloaded(path, array(content["t"]), values, kinds, content["metadata"])


def _read_hdf5(path: Path) -> Reloaded:
    h5py = need("h5py", "a file .nc, .h5 or .hdf5")
    with open(path, "rb"):  # what is missing or may not be read is told by Python, not by HDF5
        pass
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise ResultsError(f"{path} is no file of results: {error}") from None
    with file:
        if file.attrs.get("format") != FORMAT:
            raise ResultsError(f"{path} is no file of results: it lacks the attribute format = '{FORMAT}'")
        _check_version(path, file.attrs.get("version"))
        values = {name: np.asarray(data[()], dtype=float) for name, data in file.items()}
        kinds = {name: _kind(data.attrs) for name, data in file.items() if name != "t"}
        metadata = {key: _plain(key, value) for key, value in file.attrs.items() if not key.startswith("_")}
    t = values.pop("t")
    for key in ("format", "version", "title", "source"):
        metadata.pop(key, None)
    return Reloaded(path, t, values, kinds, metadata)


def _kind(attributes: Any) -> Quantity:
    unit = str(attributes["units"])
    return Quantity(str(attributes["long_name"]), "" if unit == "1" else unit)


def _check_version(path: Path, version: Any) -> None:
    if version != FORMAT_VERSION:
        raise ResultsError(f"{path} is of version {version} of the results; this Jourdain reads {FORMAT_VERSION}")


def _plain(key: str, value: Any) -> Any:
    """An attribute as it was before `flat`."""
    if key in ("parameters", "notes", "events", "display"):
        return json.loads(value)
    if key == "complete":
        return bool(value)
    return value.item() if isinstance(value, np.generic) else value
