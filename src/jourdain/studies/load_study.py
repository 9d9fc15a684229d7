"""jd.load_results: a file of results, or the folder of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..library.quantities import Quantity
from ..mechanism.arguments import asked
from ..mechanism.errors import StudyError
from ..results import reload
from ..results.reload import Reloaded
from .collected import Item, read_items
from .design import Design
from .folder import Folder
from .pieces import Pieces
from .result import Study
from .subject import Subject
from .workshop import Plan


@asked
def load_results(path: str | Path) -> Reloaded | Study:
    """Read a file that `to_csv`, `to_json`, `to_netcdf` or `to_hdf5` wrote, or the folder of a study."""
    return load_study(path) if Path(path).is_dir() else reload.load_results(path)


def load_study(path: str | Path) -> Study:
    """What is done of the study in a folder; it may still be under way."""
    folder = Folder(path)
    manifest = folder.manifest
    try:
        return _study(folder, manifest)
    except (KeyError, TypeError, ValueError) as error:
        raise StudyError(f"'{folder.path}' is damaged: its manifest cannot be read ({error})") from None


def _study(folder: Folder, manifest: dict[str, Any]) -> Study:
    items: list[Item] = []
    for name, text, is_function in manifest["collect"]:
        items += read_items({name: _lost if is_function else text})
    design = Design.from_data(manifest["design"])
    subject = Subject.from_data(manifest["mechanism"])
    plan = Plan(subject, design, tuple(items), manifest["times"], manifest["choices"], manifest["lanes"])
    quantities = {name: Quantity(*kind) for name, kind in manifest["quantities"].items()}
    return Study(plan, np.array(manifest["grid"]), quantities, Pieces(design.count, int(manifest["piece"]), folder))


def _lost(run: Any) -> float:
    """Stands for a function, which a folder does not keep."""
    raise StudyError("a folder keeps what functions found, not the functions")
