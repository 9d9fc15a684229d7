"""Records to tables and files. What a file holds besides channels: units and metadata, so that it explains itself."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..library.quantities import Quantity
from ..mechanism.errors import ChoiceError, ResultsError
from ..mechanism.names import nearest
from ..optional import need

if TYPE_CHECKING:
    from .record import Record

KINDS = {".csv": "to_csv", ".json": "to_json", ".nc": "to_netcdf", ".h5": "to_hdf5", ".hdf5": "to_hdf5"}
# The marks by which JSON and NetCDF files are known again.
FORMAT = "jourdain results"
FORMAT_VERSION = 1
TIME = Quantity("time", "s")
EVENT_MARK = "# events "  # of the heading of a last column without numbers: when events happened, s, as JSON


def save_table(record: Record, path: str | Path, channels: Sequence[str] | None = None) -> None:
    """Write a file of the kind that its suffix says."""
    getattr(record, KINDS[table_kind(path)])(path, channels)


def table_kind(path: str | Path) -> str:
    """The suffix of a file of results, or a refusal that lists the known ones."""
    suffix = Path(path).suffix.lower()
    if suffix not in KINDS:
        raise ResultsError(f"'{path}': results cannot be written or read as '{suffix}'; {nearest(suffix, KINDS)}")
    return suffix


def chosen(record: Record, channels: Sequence[str] | None) -> list[str]:
    """The channels asked for, each once, all of them by default; every unknown one is named."""
    if channels is None:
        return record.channels
    if isinstance(channels, str):
        channels = [channels]
    if nested := [name for name in channels if not isinstance(name, str)]:
        raise ChoiceError(f"channels: {nested[0]!r} is no name of a channel; expected names, each a text")
    names = [name for name in dict.fromkeys(channels) if name != "t"]
    known = set(record.channels)
    faults = []
    for name in names:
        try:
            if name not in known:  # points of the ground have channels that the list leaves out
                record[name]
        except KeyError as error:
            faults.append(str(error.args[0]))
    if faults:
        raise KeyError("; ".join(faults))
    return names


def to_csv(record: Record, path: str | Path, channels: Sequence[str] | None) -> None:
    names = chosen(record, channels)
    columns = [record.t, *(record[name] for name in names)]
    headings = [_headed(record, name) for name in ("t", *names)]
    if events := record.metadata.get("events"):  # numbers alone stand below the headings, for whoever reads them
        headings.append(EVENT_MARK + json.dumps({name: list(times) for name, times in events.items()}))
        columns.append(np.full_like(record.t, np.nan))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(headings)
        writer.writerows(np.stack(columns, axis=1).tolist())


def _headed(record: Record, name: str) -> str:
    """A name with its unit where units are chosen; a name alone is in SI."""
    unit = record.quantity(name).unit
    return f"{name} ({unit})" if record.chosen_units and unit else name


def to_json(record: Record, path: str | Path, channels: Sequence[str] | None) -> None:
    names = chosen(record, channels)
    content = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "metadata": record.metadata,
        "units": {name: record.quantity(name).unit for name in names},
        "quantities": {name: record.quantity(name).name for name in names},
        "t": _numbers(record.t),
        "channels": {name: _numbers(record[name]) for name in names},
    }
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    Path(path).write_text(text + "\n", encoding="utf-8")


def _numbers(values: Any) -> list[float | None]:
    """JSON has no word for what is not finite."""
    return [x if np.isfinite(x) else None for x in values.tolist()]


def to_netcdf(record: Record, path: str | Path, channels: Sequence[str] | None) -> None:
    """NetCDF-4 by h5py: each channel a variable over the dimension `t`."""
    source = f"jourdain {record.metadata['jourdain']}"
    marks = {"format": FORMAT, "version": FORMAT_VERSION, "title": record.name, "source": source}
    variables = ((name, ("t",), record[name], record.quantity(name)) for name in chosen(record, channels))
    write_netcdf(path, {**marks, **flat(record.metadata)}, {"t": (record.t, TIME)}, variables)


def write_netcdf(
    path: str | Path | io.BytesIO,
    attributes: Mapping[str, Any],
    scales: Mapping[str, tuple[Any, Quantity]],
    variables: Iterable[tuple[str, Sequence[str], Any, Quantity]],
) -> None:
    """A file of variables over dimensions, which `scales` has with their values.

    It is made in memory first: on a full disk HDF5 fails late and says little.
    """
    h5py = need("h5py", "a file .nc, .h5 or .hdf5")
    memory = io.BytesIO()
    with h5py.File(memory, "w", track_order=True) as file:
        for key, value in attributes.items():
            file.attrs[key] = value
        references = {}
        for name, (values, kind) in scales.items():
            scale = file.create_dataset(name, data=values)
            scale.make_scale(name)
            _describe(scale, kind)
            references[name] = scale.ref
        # What attach_scale would write, without the list of all variables at each scale, which takes time squared.
        reference = h5py.vlen_dtype(h5py.ref_dtype)
        for name, over, values, kind in variables:
            data = file.create_dataset(name, data=np.asarray(values, dtype=float))
            dimensions = np.empty(len(over), dtype=object)
            for k, dimension in enumerate(over):
                dimensions[k] = np.array([references[dimension]], dtype=h5py.ref_dtype)
            data.attrs.create("DIMENSION_LIST", dimensions, dtype=reference)
            _describe(data, kind)
    if isinstance(path, io.BytesIO):
        path.write(memory.getvalue())
    else:
        Path(path).write_bytes(memory.getvalue())


def _describe(data: Any, kind: Quantity) -> None:
    data.attrs["units"] = kind.unit or "1"
    data.attrs["long_name"] = kind.name


def flat(metadata: dict[str, Any]) -> dict[str, Any]:
    """Metadata as attributes: texts and numbers; what is nested as JSON text, and nothing that is None."""
    found: dict[str, Any] = {}
    for key, value in metadata.items():
        if isinstance(value, bool):
            found[key] = int(value)
        elif isinstance(value, str | int | float):
            found[key] = value
        elif value is not None:
            found[key] = json.dumps(value, ensure_ascii=False)
    return found


def to_pandas(record: Record, channels: Sequence[str] | None) -> Any:
    pandas = need("pandas", "to_pandas")
    names = chosen(record, channels)
    frame = pandas.DataFrame({name: record[name] for name in names}, index=pandas.Index(record.t, name="t"))
    frame.attrs.update(record.metadata, units={name: record.quantity(name).unit for name in names})
    return frame


def to_xarray(record: Record, channels: Sequence[str] | None) -> Any:
    xarray = need("xarray", "to_xarray")
    variables = {}
    for name in chosen(record, channels):
        kind = record.quantity(name)
        variables[name] = ("t", record[name], {"units": kind.unit or "1", "long_name": kind.name})
    time = ("t", record.t, {"units": "s", "long_name": "time"})
    return xarray.Dataset(variables, coords={"t": time}, attrs=flat(record.metadata))
