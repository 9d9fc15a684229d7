"""Writes docs/performance.md from benchmarks/results/latest.json, which `make bench` and `make bench-full` write."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RESULTS = HERE.parent / "benchmarks" / "results"
NOISE = 1.0  # load average above which figures are to be taken with care
WITHIN = 1.5  # times that a machine told otherwise may take
SAME = 1e-9  # errors below are as good as none where ours are compared with a peer's
ERRORS = (1e-3, 1e-5, 1e-7, 1e-9)  # in the table of work and precision
HEAD = """# Performance

How fast Jourdain is, beside Exudyn, MuJoCo, Pinocchio and code that SymPy generates, on the same work. Anyone can run
it again: `make bench` (under five minutes), `make bench-full` (all of it, under 45 minutes), `python benchmarks/run.py
--only b` (one problem). Every answer is checked against a reference before it is timed; contenders take turns in short
samples and the best of many counts; peers have the settings that suit them best. This page is made from the results by
`docs/make_performance.py`.
"""
GROWTH = """What grows with the size of a machine, and how fast: the exponent is the power of the size that fits the
figures of the larger machines. Memory is that of the arrays of a compiled machine and of a run, exactly counted. Small
machines are solved dense and large ones sparse, so that memory can fall where one gives way to the other."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def judged(value: float, must: float | None, least: bool = True, form: str = ".1f") -> str:
    """The figure, and a word where it is not what it must be: at least `must`, or at most."""
    enough = must is None or (value >= must if least else value <= must)
    return f"{value:{form}}" if enough else f"**{value:{form}}**, missed"


def measured(content: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in content["versions"].items())
    load = content["load_average"]
    words = f"Measured {content['date'][:10]} on {content['cpu']}, {content['cores']} cores; {versions}."
    if load and load[0] > NOISE:
        words += f" The computer did other work meanwhile (load average {load[0]:g}), so take ratios as rough."
    words += " This is the full set" if content.get("full") else " This is the short set"
    whole = content.get("whole_seconds")
    return words + (f"; it took {whole / 60:.0f} minutes." if whole else ".")


def ratios(problems: dict[str, Any]) -> list[str]:
    rows = [
        (t["words"], judged(t["ratio"], t["must"]), f"{t['must']:g}", f"{t['aim']:g}", t["peer"])
        for record in problems.values()
        for t in record.get("targets", ())
    ]
    words = "A peer's time over ours, same method or same error, and what we ask of ourselves."
    return ["## Ratios to peers", "", words, "", *table(["", "ratio", "must", "aim", "the peer"], rows)]


def lost(problems: dict[str, Any]) -> list[str]:
    """Where a peer is faster than our fastest that is as exact (or our most exact), and ratios below the must."""
    lines = []
    for record in problems.values():
        timed = [c for c in record.get("contenders", ()) if c["right"] and c["best_us"]]
        for peer in (c for c in timed if not c["ours"]):
            ours = [c for c in timed if c["ours"]]
            as_exact = [c for c in ours if c["error"] <= max(peer["error"], SAME)]
            best = min(as_exact, key=lambda c: c["best_us"], default=min(ours, key=lambda c: c["error"], default=None))
            if best is not None and peer["best_us"] < best["best_us"]:
                factor = best["best_us"] / peer["best_us"]
                lines.append(
                    f"- {record['title']}: {peer['name']} takes {peer['best_us']:.1f} us a {record['unit']} (error "
                    f"{peer['error']:.0e}), {best['name']} {best['best_us']:.1f} us (error {best['error']:.0e}): "
                    f"it is {factor:.1f} times faster."
                )
        lines += [f"- {record['title']}: {words}" for words in ahead(record.get("curves", ()))]
        lines += [
            f"- {t['words']}: {t['ratio']:.1f} times as fast as {t['peer']}, where {t['must']:g} times are asked for."
            for t in record.get("targets", ())
            if 1 <= t["ratio"] < t["must"]
        ]
    head = ["## Where a peer wins, and where we do not reach what we ask for", ""]
    return head + (lines or ["In this set nobody was faster at the same accuracy or better."])


def ahead(curves: Sequence[dict[str, Any]]) -> Iterable[str]:
    """Points of peers in a diagram of work and precision that none of ours beats in both."""
    ours = [p for made in curves if made["name"].startswith("Jourdain") for p in made["points"]]
    for made in curves:
        if made["name"].startswith("Jourdain"):
            continue
        for p in made["points"]:
            if not any(o["error"] <= p["error"] and o["ms"] <= p["ms"] for o in ours):
                yield f"{made['name']} reaches {p['error']:.0e} in {p['ms']:.3g} ms; ours are slower or less exact."


def problem(record: dict[str, Any]) -> list[str]:
    rows = []
    for c in record["contenders"]:
        if c["right"] and c["best_us"] is not None:
            numbers = (f"{c['best_us']:.3g}", f"{c['median_us']:.3g}", f"{c['error']:.0e}")
        else:
            numbers = ("not timed: wrong", "", f"{c['error']:.0e}")
        rows.append((c["name"], *numbers, c["settings"]))
    rows += [(a["name"], "not run", "", "", a["why"]) for a in record.get("absent", ())]
    article = "an" if record["unit"][0] in "aeiou" else "a"
    return [
        f"### {record['title']}",
        "",
        *table(["", f"us {article} {record['unit']}", "median", "error", "settings"], rows),
        "",
    ]


def work_precision(problems: dict[str, Any]) -> list[str]:
    lines = ["## Work and precision", ""]
    lines += ["Down and to the right is better. The tables have the shortest time at which an error was reached.", ""]
    for letter in "bcd":
        source = RESULTS / f"work_precision_{letter}.svg"
        record = problems.get(f"i {letter}")
        if record is None or not source.exists():
            continue
        shutil.copyfile(source, HERE / "images" / source.name)
        rows = []
        for made in record["curves"]:
            times = [[p["ms"] for p in made["points"] if p["error"] <= error] for error in ERRORS]
            cells = [f"{min(found):.3g}" if found else "" for found in times]
            rows.append((made["name"], *cells, made.get("words", "")))
        lines += [
            f"### {record['title'][0].upper() + record['title'][1:]}",
            "",
            f"![Error against time](images/{source.name})",
            "",
        ]
        lines += [*table(["ms to an error of", *(f"{e:g}" for e in ERRORS), ""], rows), ""]
    return lines if len(lines) > 4 else []


def growth(problems: dict[str, Any]) -> list[str]:
    lines: list[str] = []
    rows_of = {int(key[1:]): record for key, record in problems.items() if key[0] == "e" and key[1:].isdigit()}
    if rows_of and "e growth" in problems:
        sizes = sorted(rows_of)
        body = []
        for name, power in problems["e growth"]["exponents"].items():
            times = [next((c["best_us"] for c in rows_of[n]["contenders"] if c["name"] == name), None) for n in sizes]
            body.append((name, *("" if t is None else f"{t:.3g}" for t in times), f"{power:.2f}"))
        head = ["Rows of N four-bars, us a step", *(f"N = {n}" for n in sizes), "exponent"]
        lines += [*table(head, body), ""]
    for key, record in problems.items():
        if key.startswith("f growth"):
            kinds = {"evaluation": "us an evaluation", "step": "us a step of rk4", "compiled": "s to compile"}
            body = []
            for kind, words in kinds.items():
                values = record[f"{kind}_{'s' if kind == 'compiled' else 'us'}"]
                body.append((words, *(f"{v:.3g}" for v in values), f"{record[f'{kind} exponent']:.2f}"))
            head = [f"{record['space'].capitalize()} chains", *(f"n = {n}" for n in record["links"]), "exponent"]
            lines += [*table(head, body), ""]
    for name, record in problems.get("k", {}).items():
        made = {key: value for key, value in record.items() if key != "sizes"}
        body = [(key, *(f"{v:.3g}" for v in m["values"]), f"{m['exponent']:.2f}") for key, m in made.items()]
        head = [name[0].upper() + name[1:], *(f"N = {n}" for n in record["sizes"]), "exponent"]
        lines += [*table(head, body), ""]
    for name, record in problems.get("o", {}).items():
        if isinstance(record, dict) and "sizes" in record:
            kinds = ("evaluation us", "step us")
            powers = zip(kinds, record["exponents"], strict=True)
            body = [(f"us {kind[:-3]}", *(f"{v:.3g}" for v in record[kind]), f"{power:.2f}") for kind, power in powers]
            head = [
                f"{name[0].upper()}{name[1:]}, joint coordinates",
                *(f"N = {n}" for n in record["sizes"]),
                "exponent",
            ]
            lines += [*table(head, body), ""]
    lines += crossings(problems.get("o", {}))
    for name, record in problems.get("t", {}).items():
        if "bytes_a_link" in record:
            space = name.partition(",")[0]
            listed = ", ".join(f"{size:.0f}" for size in record["bytes_a_link"])
            lines.append(f"- Tables of a {space} tree of 100, 1000 and 10,000 links: {listed} bytes a link")
    return ["## Growth with size, and memory", "", GROWTH, "", *lines] if lines else []


def crossings(found: dict[str, Any]) -> list[str]:
    """Rows of four-bars through all their singular positions."""
    rows = []
    for name, record in found.items():
        if name.startswith("crossing, ") and isinstance(record, dict):
            rows.append((name.partition(", ")[2], *(f"{s:.2f} s, off by {off:.1e} m" for s, off in record.values())))
    if not rows:
        return []
    peer = found.get("crossing, MuJoCo rk4")
    rows += [("MuJoCo's rk4 at 1 ms", f"{peer:.2f} s", "")] if peer else []
    head = ["Rows of N four-bars through singular positions, 10 s, processor time", "N = 40", "N = 400"]
    return [*table(head, rows), ""]


def start_up(problems: dict[str, Any]) -> list[str]:
    if "j" not in problems:
        return []
    body = []
    for name, r in problems["j"].items():
        must = r.get("must", {})
        cold, warm = (judged(r[key], must.get(key), least=False, form=".2f") for key in ("cold", "warm"))
        body.append((name, f"{r['import']:.2f}", cold, warm, f"{r['further run']:.3f}"))
    body.append(("must, in the plane", "", "15", "1.5", ""))
    body.append(("aim, in the plane", "", "8", "0.8", ""))
    words = "Cold: nothing compiled yet, once on a machine. Warm: a fresh process that finds compiled code."
    return ["## Start-up, seconds", "", *table(["", "import", "cold", "warm", "a further run"], body), "", words]


def sessions(problems: dict[str, Any]) -> list[str]:
    if "l" not in problems:
        return []
    body = [
        (name, judged(r["best"], r["must"], least=False), f"{r['median']:.1f}", f"{r['must']:g}" if r["must"] else "")
        for name, r in problems["l"].items()
    ]
    words = (
        "Microseconds that are not the kernel's, of a four-bar by `rk4`: a frame of 16 ms in steps of 1 ms with one "
        "channel read, and what else one does with a [session](sessions.md). `simulate` is a whole run of 5 s by "
        "`auto`; the last row counts the Python functions that it calls."
    )
    return ["## Sessions", "", words, "", *table(["", "best", "median", "at most"], body)]


def told_otherwise(content: dict[str, Any]) -> list[str]:
    if "told otherwise" not in content:
        return []
    told = content["told otherwise"]
    ways = list(dict.fromkeys(word for r in told.values() for word in [*r["ratios"], *r.get("refused", {})]))
    body = []
    for name, r in told.items():
        cells = ["refused" if w not in r["ratios"] else judged(r["ratios"][w], WITHIN, False, ".2f") for w in ways]
        body.append((name, *cells, f"{r['apart']:.0e}"))
    words = (
        "Times of the same machines rotated, renamed, with joints in another order, and with one revolute written out "
        f"as a custom joint, over those as they are: at most {WITHIN:g} is asked for. The last column says how far the "
        "answers are apart."
    )
    why = sorted({f"- {word}: {sentence}" for r in told.values() for word, sentence in r.get("refused", {}).items()})
    return ["## The same machines told otherwise", "", words, "", *table(["", *ways, "apart"], body), "", *why]


def main() -> None:
    content = json.loads((RESULTS / "latest.json").read_text())
    problems = content.get("problems", {})
    blocks = [[HEAD + "\n" + measured(content)], ratios(problems), lost(problems), ["## All figures", ""]]
    blocks += [problem(record) for record in problems.values() if record.get("contenders")]
    blocks += [work_precision(problems), growth(problems), start_up(problems)]
    blocks += [sessions(problems), told_otherwise(content)]
    (HERE / "performance.md").write_text("\n\n".join("\n".join(block).strip() for block in blocks if block) + "\n")


if __name__ == "__main__":
    main()
