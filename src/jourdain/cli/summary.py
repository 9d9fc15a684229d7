"""What is told at the end of a run: as text for people, as JSON for programs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ..mechanism.names import counted
from ..results.energy_drift import balance_words, drift_of
from ..results.solution import Solution

INDENT = 13
DRIVEN = "all motion is driven"
MOST_TIMES = 8  # of an event, that are printed


def report(run: Solution, given: dict[str, Any], defaults: Any, seconds: float, files: list[str]) -> str:
    """Freedoms, choices and why, steps, accuracy, time, files, warnings."""
    if not isinstance(run, Solution):  # of a system
        return "\n".join([run.summary(), *(f"{'written':>{INDENT}}  {name}" for name in files)])
    r, s = run.redundancy, run.statistics
    freedom = f"{counted(r.freedoms, 'degree')} of freedom"
    if r.freedoms == 0 and run.blueprint.motions:
        freedom += f" ({DRIVEN})"
    rows = [
        ("freedom", f"{freedom}; {counted(r.equations, 'equation')} of rank {r.rank}"),
        *reasons(run, given, defaults),
        ("time", f"{run.t[0]:g} to {run.t[-1]:g} s, {len(run.t)} samples"),
        ("steps", f"{s.steps} ({s.rejected} rejected), {s.evaluations} evaluations"),
        ("violation", f"{largest_violation(run):.2g} at most (m or rad)"),
        ("energy", balance_words(run)),
        ("computed in", f"{_time(s.seconds)} for the motion, {_time(seconds)} in all"),
        *(("event", words) for words in _events(run)),
        ("status", run.status.sentence),
        *(("note", note) for note in run.status.notes),
        *(("written", name) for name in files),
    ]
    if not files:
        rows.append(("files", "none; -o out.csv keeps the numbers, --animate out.html shows the motion"))
    lines = [f"{run.name}: {counted(run.model.bodies, 'body', 'bodies')}, {_joints(run)}"]
    return "\n".join([*lines, *(f"{key:>{INDENT}}  {text}" for key, text in rows)])


def _events(run: Solution) -> list[str]:
    """When each event happened: all of a few times, else the first and how many."""
    found = []
    for name, moments in run.events.items():
        times = [f"{t:.6g}" for t in moments.t[:MOST_TIMES]]
        more = f" ... ({len(moments.t)} times)" if len(moments.t) > MOST_TIMES else ""
        found.append(f"{name} at t = {', '.join(times)} s{more}" if times else f"{name} did not happen")
    return found


def as_json(run: Solution, seconds: float, files: list[str], table: Any = None) -> str:
    """The same facts under fixed names."""
    kept = {k: v for k, v in run.metadata.items() if k not in ("summary", "mechanism_file")}
    drift, part = drift_of(run)
    kept |= {
        "interrupted": run.status.interrupted,
        "t_end": float(run.t[-1]),
        "samples": len(run.t),
        "largest_violation": largest_violation(run),
        "energy_drift": drift,
        "energy_drift_relative": part,
        "seconds_in_all": seconds,
        "files": files,
    }
    if table is not None:
        kept["maxima"] = table.as_dicts()
    return json.dumps(json_numbers(kept), indent=2, ensure_ascii=False)


def reasons(run: Solution, given: dict[str, Any], defaults: Any) -> list[tuple[str, str]]:
    """The three choices, each with where it comes from."""
    c = run.choices
    where = "in the plane" if run.blueprint.dim == 2 else "in space"
    method = c.integrator
    own = {key: getattr(method, key) for key in ("rtol", "step") if hasattr(method, key)}
    setting = f"rtol {own['rtol']:g}" if "rtol" in own else f"step {own.get('step', np.nan):g} s"

    def why(key: str, default: str) -> str:
        if given.get(key) is not None:
            return "as asked for"
        if given.get("recipe") is not None:
            return f"recipe {c.recipe}, as asked for"
        if defaults.get(key) is not None:
            return "as the file says"
        return default if c.recipe == "auto" else f"recipe {c.recipe}"

    def first(*keys: str) -> str:
        """Of keys that one choice depends on, the one that was asked for, or else written."""
        told = [key for key in keys if given.get(key) is not None]
        written = [key for key in keys if defaults.get(key) is not None]
        return (told or written or list(keys))[0]

    treatment, integrator = first("treatment", "stabilisation"), first("integrator", "step", "rtol", "atol")
    implied = "goes with that integrator" if c.treatment.name == "index3" else "the default"
    return [
        ("coordinates", f"{c.coordinates} ({why('coordinates', f'the default {where}')})"),
        ("treatment", f"{c.treatment.name} + {c.treatment.stabilisation} ({why(treatment, implied)})"),
        ("integrator", f"{method.name}, {setting} ({why(integrator, 'the default: finds its own steps')})"),
    ]


def largest_violation(run: Solution) -> float:
    return float(np.max(run.violation.position, initial=0.0))


def _joints(run: Solution) -> str:
    return counted(len(run.blueprint.joints), "joint")


def _time(seconds: float) -> str:
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def json_numbers(value: Any) -> Any:
    """JSON has no word for what is not finite."""
    if isinstance(value, dict):
        return {key: json_numbers(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [json_numbers(part) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
