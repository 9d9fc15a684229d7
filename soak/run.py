"""make soak: what takes too long for every change. Campaigns by name, a line for each outcome, logs in build/soak.

    make soak                                   all campaigns
    make soak ARGS="matrix"                     one of them
    make soak ARGS="matrix --only generic,alone --seed 7"

Another campaign is another module with a function that yields outcomes, and a line in CAMPAIGNS.
"""

from __future__ import annotations

import argparse
import secrets
import sys
from dataclasses import replace

from analyses import analyses
from bounds import bounds
from campaign import FOLDER, Campaign
from checkpoints import checkpoints
from live import live
from machines import machines
from matrix import matrix
from mutants import mutants
from pulses import pulses
from sessions import sessions
from singular import singular
from studies import studies
from ways import ways

CAMPAIGNS = (
    Campaign("matrix", "the whole set of tests on other processors, versions, orders, workers and caches", matrix),
    Campaign("bounds", "the whole set of tests with every index checked", bounds),
    Campaign("checkpoints", "crafted ones with a right checksum: refused, or no other run, and no crash", checkpoints),
    Campaign("live", "live machines: pulling, operations, seeking, damaged recordings", live),
    Campaign("machines", "2,000 random machines: other coordinates, Newton and Euler, batches, sessions", machines),
    Campaign("analyses", "300 random machines for each analysis, against plain calculations", analyses),
    Campaign("mutants", "10,000 mechanism files gone wrong: a report or a sentence with file and line", mutants),
    Campaign("pulses", "pulses of 1 ms to 0.3 s in runs of 5 to 100 s: none is stepped over", pulses),
    Campaign("singular", "1,000 machines through singular positions, in six ways each: right or stopped", singular),
    Campaign("studies", "a million pendulums, and a study killed at ten moments: same bits, little memory", studies),
    Campaign("sessions", "every machine in every way: sessions against simulate, bit for bit", sessions),
    Campaign("ways", "every machine in every set, treatment, integrator and recipe: right, or stopped in words", ways),
)


def main() -> int:
    known = {campaign.name: campaign for campaign in CAMPAIGNS}
    listed = "\n".join(f"  {campaign.name:<13}{campaign.words}" for campaign in CAMPAIGNS)
    parser = argparse.ArgumentParser(
        description=f"Campaigns:\n{listed}", formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("campaigns", nargs="*", metavar="campaign", help=f"default: {', '.join(known)}")
    parser.add_argument("--only", default="", help="names of parts of a campaign, with commas between")
    parser.add_argument("--seed", type=int, default=None, help="of everything random; printed, so that it can be given")
    parser.add_argument("--count", type=int, default=None, help="how many of what is random, where it is not all")
    options = parser.parse_args()
    if unknown := [name for name in options.campaigns if name not in known]:
        parser.error(f"there is no campaign {', '.join(unknown)}; known: {', '.join(known)}")
    options.only = [name for name in options.only.split(",") if name]
    options = argparse.Namespace(**{**vars(options), "seed": options.seed or 1 + secrets.randbelow(10**6)})
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(f"soak: seed {options.seed}, logs in {FOLDER}", flush=True)
    failed = False
    for name in options.campaigns or known:
        for outcome in known[name].run(options):
            outcome = replace(outcome, name=f"{name} {outcome.name}")
            said = "passed" if outcome.ok else "FAILED"
            line = f"{said}  {outcome.name}: {outcome.words} ({outcome.seconds / 60:.1f} min, {outcome.log.name})"
            print(line, flush=True)
            failed |= not outcome.ok
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
