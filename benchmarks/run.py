"""All benchmarks, or some: python benchmarks/run.py [--full] [--only b,g] [--variants] [--rounds 12]

Writes benchmarks/results/latest.json (with versions, computer, load and date), table.md and diagrams of work and
precision. Without --full it takes less than five minutes, with it less than 45. --variants times the same machines
rotated, renamed, with joints in another order and with a revolute as a custom joint instead.
"""

from __future__ import annotations

import argparse
import importlib
import json
import time
from typing import Any

import numpy as np

from harness import RESULTS, header

# Which letters each file answers.
FILES = {
    "a": "pendulum",
    "b": "planar_loops",
    "c": "planar_loops",
    "d": "squeezer",
    "e": "planar_loops",
    "f": "chains",
    "g": "batches",
    "h": "spatial_loops",
    "i": "precision",
    "j": "startup",
    "k": "growth",
    "l": "sessions",
    "o": "loops",
    "p": "modular",
    "s": "stiff",
    "t": "trees",
    "u": "page_frames",
    "v": "live",
    "w": "studies_of_four_bars",
    "y": "types_of_ones_own",
}


def table(content: dict[str, Any]) -> str:
    """The record as Markdown."""
    lines = [
        f"Measured {content['date'][:10]} on {content['cpu']}, {content['cores']} cores, load average "
        f"{content['load_average']}; " + ", ".join(f"{k} {v}" for k, v in content["versions"].items()) + ".",
        "",
        "| asked for | ratio | must | aim | against |",
        "|---|---|---|---|---|",
    ]
    problems = content["problems"]
    for record in problems.values():
        for target in record.get("targets", ()):
            mark = "" if target["ratio"] >= target["must"] else " (missed)"
            words = f"| {target['words']} | {target['ratio']:.1f}{mark} | {target['must']:g} | {target['aim']:g} "
            lines.append(words + f"| {target['peer']} |")
    lines += ["", "| problem | contender | us | error |", "|---|---|---|---|"]
    for record in problems.values():
        for c in record.get("contenders", ()):
            best = f"{c['best_us']:.2f}" if c["right"] and np.isfinite(c["best_us"]) else "not timed"
            lines.append(f"| {record['title']}, a {record['unit']} | {c['name']} | {best} | {c['error']:.0e} |")
        for who in record.get("absent", ()):
            lines.append(f"| {record['title']}, a {record['unit']} | {who['name']} | not run: {who['why']} | |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--full", action="store_true", help="larger machines, all recipes, 1000 variants")
    parser.add_argument(
        "--only",
        metavar="A,B",
        help=f"some of {', '.join(FILES)} (s: stiff, t: large trees, u: the studio, v: live, w: studies, y: types)",
    )
    parser.add_argument("--rounds", type=int, default=12, help="samples of each, about (%(default)s)")
    parser.add_argument("--variants", action="store_true", help="time the machines told otherwise instead")
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / "latest.json"
    part = bool(options.only or options.variants)
    content = json.loads(path.read_text()) if path.exists() and part else {}
    content |= header() | {"full": content.get("full", False) if part else options.full}
    print(f"{content['cpu']}, {content['cores']} cores, load average {content['load_average']}, {content['date']}")
    begun = time.perf_counter()
    if options.variants:
        from told import told_otherwise

        content["told otherwise"] = told_otherwise(3 * options.rounds)  # samples are short
    else:
        letters = options.only.split(",") if options.only else list(FILES)
        unknown = [letter for letter in letters if letter not in FILES]
        if unknown:
            parser.error(f"--only: {', '.join(unknown)} unknown; expected some of {', '.join(FILES)}")
        problems = (
            content.setdefault("problems", {}) if options.only else content.update(problems={}) or content["problems"]
        )
        for name in dict.fromkeys(FILES[letter] for letter in letters):
            problems.update(importlib.import_module(name).run(options.full, options.rounds))
            path.write_text(json.dumps(content, indent=1) + "\n")
    seconds = round(time.perf_counter() - begun)
    if not part:
        content["whole_seconds"] = seconds
    path.write_text(json.dumps(content, indent=1) + "\n")
    (RESULTS / "table.md").write_text(table(content))
    print(f"\n{seconds} s; written to benchmarks/results/latest.json and table.md")


if __name__ == "__main__":
    main()
