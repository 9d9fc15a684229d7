"""Writes docs/performance.md from benchmarks/results/latest.json, which `make bench` and `make bench-full` write."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "benchmarks" / "results"
NOISE = 1.0  # load average above which figures are to be taken with care
HEAD = """# Performance

How fast Jourdain is, beside Exudyn, MuJoCo, Pinocchio and code that SymPy generates, on the same work. Anyone can run
it again: `make bench` (under five minutes), `make bench-full` (all of it), `python benchmarks/run.py --only b` (one
problem). Every answer is checked against a reference before it is timed; contenders take turns in short samples and the
best of many counts; peers have the settings that suit them best. This page is made from the results by
`docs/make_performance.py`.
"""


def measured(content: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in content["versions"].items())
    load = content["load_average"]
    words = f"Measured {content['date'][:10]} on {content['cpu']}, {content['cores']} cores; {versions}."
    if load and load[0] > NOISE:
        words += f" The computer did other work meanwhile (load average {load[0]:g}), so take ratios as rough."
    return words + ("" if content.get("full") else " This is the short set.")


def ratios(problems: dict[str, Any]) -> list[str]:
    lines = [
        "## Ratios to peers",
        "",
        "A peer's time over ours, same method or same error, and what we ask of ourselves.",
        "",
    ]
    lines += ["| | ratio | must | aim | the peer |", "|---|---|---|---|---|"]
    for record in problems.values():
        for t in record.get("targets", ()):
            ratio = f"{t['ratio']:.1f}" if t["ratio"] >= t["must"] else f"**{t['ratio']:.1f}**, missed"
            lines.append(f"| {t['words']} | {ratio} | {t['must']:g} | {t['aim']:g} | {t['peer']} |")
    return lines


def lost(problems: dict[str, Any]) -> list[str]:
    """Where a peer is faster than our fastest that is at least as accurate."""
    lines = []
    for record in problems.values():
        timed = [c for c in record.get("contenders", ()) if c["right"] and c["best_us"]]
        for peer in (c for c in timed if not c["ours"]):
            ours = [c for c in timed if c["ours"] and c["error"] <= max(peer["error"], 1e-9)]
            best = min(ours, key=lambda c: c["best_us"], default=None)
            if best is not None and peer["best_us"] < best["best_us"]:
                factor = best["best_us"] / peer["best_us"]
                lines.append(
                    f"- {record['title']}: {peer['name']} takes {peer['best_us']:.1f} us a {record['unit']} (error "
                    f"{peer['error']:.0e}), {best['name']} {best['best_us']:.1f} us (error {best['error']:.0e}): "
                    f"it is {factor:.1f} times faster."
                )
    head = ["## Where a peer wins", ""]
    return head + (lines or ["In this set nobody was faster at the same accuracy or better."])


def problem(record: dict[str, Any]) -> list[str]:
    lines = [
        f"### {record['title']}",
        "",
        f"| | us a {record['unit']} | median | error | settings |",
        "|---|---|---|---|---|",
    ]
    for c in record["contenders"]:
        if c["right"] and c["best_us"] is not None:
            numbers = f"{c['best_us']:.3g} | {c['median_us']:.3g} | {c['error']:.0e}"
        else:
            numbers = f"not timed | | {c['error']:.0e}"
        lines.append(f"| {c['name']} | {numbers} | {c['settings']} |")
    return [*lines, ""]


def growth(problems: dict[str, Any]) -> list[str]:
    lines = ["## Growth with size, and memory", ""]
    for key, record in problems.items():
        if key == "e growth":
            for name, power in record["exponents"].items():
                lines.append(
                    f"- Rows of four-bars, {name}: time a step goes with the bodies to the power of {power:.2f}"
                )
        if key.startswith("f growth"):
            for what in ("evaluation", "step", "compiled"):
                words = {"compiled": "time to compile"}.get(what, f"time of one {what}")
                lines.append(
                    f"- {record['space']} chains, {words}: power {record[f'{what} exponent']:.2f} of the links"
                )
    for name, record in problems.get("k", {}).items():
        sizes = record["sizes"]
        for key, made in record.items():
            if key != "sizes":
                last = f"{made['values'][-1]:.3g} at N = {sizes[-1]}"
                lines.append(f"- {name}, {key}: power {made['exponent']:.2f} of N, {last}")
    return lines if len(lines) > 2 else []


def start_up(problems: dict[str, Any]) -> list[str]:
    if "j" not in problems:
        return []
    lines = ["## Start-up, seconds", "", "| | import | cold | warm | a further run |", "|---|---|---|---|---|"]
    for name, r in problems["j"].items():
        lines.append(f"| {name} | {r['import']:.2f} | {r['cold']:.1f} | {r['warm']:.2f} | {r['further run']:.3f} |")
    return [
        *lines,
        "",
        "Cold: nothing compiled yet, once on a machine; asked for in the plane are 15 s, better 8. Warm: a fresh "
        "process that finds compiled code; asked for are 1.5 s, better 0.8.",
    ]


def told_otherwise(content: dict[str, Any]) -> list[str]:
    if "told otherwise" not in content:
        return []
    words = (
        "Times of the same machines rotated, renamed, with joints in another order, and with one revolute written out "
    )
    lines = ["## The same machines told otherwise", "", words + "as a custom joint, over those as they are.", ""]
    first = next(iter(content["told otherwise"].values()))["ratios"]
    lines += ["| | " + " | ".join(first) + " |", "|---" * (len(first) + 1) + "|"]
    for name, r in content["told otherwise"].items():
        lines.append(f"| {name} | " + " | ".join(f"{x:.2f}" for x in r["ratios"].values()) + " |")
    return lines


def main() -> None:
    content = json.loads((RESULTS / "latest.json").read_text())
    problems = content.get("problems", {})
    blocks = [[HEAD + "\n" + measured(content)], ratios(problems), lost(problems), ["## All figures", ""]]
    blocks += [problem(record) for record in problems.values() if record.get("contenders")]
    pictures = []
    for letter in "bcd":
        source = RESULTS / f"work_precision_{letter}.svg"
        if source.exists():
            shutil.copyfile(source, HERE / "images" / source.name)
            pictures.append(f"![Error against time](images/{source.name})\n")
    if pictures:
        blocks.append(["## Work and precision", "", "Down and to the right is better.", "", *pictures])
    blocks += [growth(problems), start_up(problems), told_otherwise(content)]
    (HERE / "performance.md").write_text("\n\n".join("\n".join(block).strip() for block in blocks if block) + "\n")


if __name__ == "__main__":
    main()
