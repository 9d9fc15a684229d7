"""A four-bar that runs, is pulled, cut and put together again, and takes another way: five minutes with `jd.live`.

The clock is the program's own here, so that nobody waits; without `clock=` the machine runs by the clock on the wall.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import jourdain as jd

FRAME = 1 / 60
PIN = {"type": "revolute", "between": ["coupler.C", "rocker.C"]}


class Clock:
    """Seconds that go on when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def run(live: Any, clock: Clock, seconds: float, before: Callable[[float], None] = lambda now: None) -> None:
    """Let the machine run, with something to do before each frame."""
    live.play()
    for _ in range(round(seconds / FRAME)):
        clock.now += FRAME
        before(clock.now)
        live.tick()


def story() -> tuple[Any, dict[str, Any]]:
    """The live machine, and pieces of what happened to it."""
    clock = Clock()
    live = jd.live(jd.example("four_bar"), clock=clock, warm=False)
    run(live, clock, 1.0)

    hand = live.grab("coupler.C")
    start, begun = live[["coupler.C.x", "coupler.C.y"]], clock.now

    def circle(now: float) -> None:
        turn = 2 * np.pi * (now - begun)
        hand.move(start + 0.5 * np.array([np.sin(turn), 1 - np.cos(turn)]))

    run(live, clock, 1.0, circle)
    pieces = {"pulled": live.solution(1.0, live.t, every=0.02)}
    hand.release()

    live.apply({"do": "remove", "part": "joints.C"})
    run(live, clock, 0.5)
    pieces["cut"] = live.solution(live.t - 0.5, live.t, every=0.02)
    told = live.apply({"do": "insert", "part": "joints.C", "value": PIN})
    print(told.sentence)
    run(live, clock, 0.3)
    pieces["closing"] = live.solution(live.t - 0.3, live.t - 0.02, every=0.02)
    run(live, clock, 1.0)

    live.seek(1.5)  # scrub back, and take another way
    run(live, clock, 1.0)
    for branch in live.branches.values():
        print(f"{branch.name}: {branch.start:g} to {branch.end:g} s")
    live.close()
    return live, pieces


def pictures(pieces: dict[str, Any]) -> dict[str, Any]:
    """What the hand made of it, the cut machine, and the joint that closes, three poses each."""
    found = {}
    for name, piece in pieces.items():
        last = len(piece.t) - 1
        found[name] = piece.draw([0, last // 2, last], traces=["coupler.C"] if name == "pulled" else [])
    return found


if __name__ == "__main__":
    _, happened = story()
    target = sys.argv[1] if len(sys.argv) > 1 else "live_story.png"
    for name, figure in pictures(happened).items():
        figure.savefig(target.replace(".png", f"_{name}.png"), dpi=80)
