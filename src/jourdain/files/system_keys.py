"""What the file of a system has beside the keys of a mechanism: subsystems, and how their run is coupled."""

from __future__ import annotations

from ..library import kinds as k
from .vocabulary import NAMED, PARAMETERS, SIMULATE, TABLE_OF, TEXT, FileKey

COUPLINGS = ("extended", "uzawa", "explicit")
AUTO = "auto"  # a macro step that is chosen by its error
SUBSYSTEM: dict[str, FileKey] = {
    "path": FileKey(TEXT, help="of a mechanism or a system, from the folder of this file"),
    "ports": FileKey(k.NAMES, required=False, help="points that others may be joined to; by default all"),
    "parameters": FileKey(PARAMETERS, required=False, help="values for its parameters"),
    "simulate": FileKey(TABLE_OF, required=False, table=SIMULATE, help="its own coordinates, integrator, step .."),
}
SUBSYSTEMS = FileKey(NAMED, required=False, table=SUBSYSTEM, help="mechanisms of a system, each with its own solver")
COUPLED: dict[str, FileKey] = {
    "coupling": FileKey(TEXT, required=False, help="of a system: how its subsystems are coupled"),
    "macro_step": FileKey(k.POSITIVE, required=False, unit="s", help=f"of a system, or {AUTO}: by its error"),
    "threads": FileKey(k.POSITIVE, required=False, help="of a system: how many subsystems go on at once"),
}
RUN: dict[str, FileKey] = {**SIMULATE, **COUPLED}
SECTIONS = ("ground", "joints", "relations", "forces", "motions")  # between subsystems
TOP = ("jourdain", "name", "description", "space", "gravity", "parameters", "subsystems", "simulate", *SECTIONS)
