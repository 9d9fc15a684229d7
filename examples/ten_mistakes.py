"""Ten mistakes made on purpose in the file of a crank-rocker, and what is said of each.

python examples/ten_mistakes.py [picture.png]
"""

import sys
import warnings
from collections.abc import Callable

import jourdain as jd

FILE = """
jourdain: 1
name: crank-rocker
space: planar
gravity: [0, -9.81]
ground: {points: {A: [0, 0], D: [40 cm, 0]}}
bodies:
  crank: {mass: 200 g, shape: {rod: 10 cm}, angle: 60 deg, points: {A: [-5 cm, 0], B: [5 cm, 0]}}
  coupler: {mass: 500 g, shape: {rod: 35 cm}, points: {B: [-17.5 cm, 0], C: [17.5 cm, 0]}}
  rocker: {mass: 400 g, shape: {rod: 25 cm}, points: {D: [-12.5 cm, 0], C: [12.5 cm, 0]}}
joints:
  A: {type: revolute, between: [ground.A, crank.A]}
  B: {type: revolute, between: [crank.B, coupler.B]}
  C: {type: revolute, between: [coupler.C, rocker.C]}
  D: {type: revolute, between: [ground.D, rocker.D]}
motions: {motor: {joint: A, angle: 60 deg + 600 rpm * t}}
simulate: {duration: 0.2 s, every: 1 ms}
"""


def check(m: jd.Mechanism) -> str:
    return "\n".join(jd.check(m).hints)


def run(m: jd.Mechanism) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", jd.SimulationWarning)
        return jd.simulate(m).status.sentence


# What is written, what is written instead, what is done with the file, and words of what is said.
MISTAKES: list[tuple[str, str, str, Callable[[jd.Mechanism], str], str]] = [
    ("a misspelt key", "mass: 200 g", "mas: 200 g", check, "(did you mean 'mass'?)"),
    ("a point that is not there", "rocker.C]", "rocker.E]", check, "body 'rocker' has no point 'E'; known: C, D"),
    ("a unit of something else", "mass: 200 g", "mass: 200 mm", check, "a length; expected a mass"),
    ("millimetres without a unit", "rod: 35 cm", "rod: 350", check, "in kg mm^2 it would fit"),
    ("degrees without a unit", "angle: 60 deg,", "angle: 60,", check, "angle is 60 rad; degrees? write 60 deg"),
    ("a rod that is too short", "B: [-17.5 cm, 0], C: [17.5", "B: [-2 cm, 0], C: [2", check, "together reach 0.39 m"),
    ("a joint to the wrong body", "[coupler.C, rocker.C]", "[coupler.C, crank.A]", check, "meant for another body?"),
    ("a crank that cannot turn round", "D: [40 cm, 0]", "D: [55 cm, 0]", run, "limit of travel (motion 'motor')"),
    (
        "two motors on one freedom",
        "motions: {",
        "motions: {m: {joint: D, angle: 0}, ",
        check,
        "the motions contradict",
    ),
    ("a negative mass", "mass: 500 g", "mass: -500 g", check, "expected a positive number"),
]


def said(old: str, new: str, do: Callable[[jd.Mechanism], str]) -> str:
    """What is said of the file with that mistake in it."""
    assert FILE.count(old) == 1, old
    try:
        return do(jd.load(FILE.replace(old, new).lstrip()))
    except jd.JourdainError as error:
        return str(error).replace("<text>", "rocker.yaml")


def main() -> None:
    assert check(jd.load(FILE)) == ""
    assert run(jd.load(FILE)) == "completed to t = 0.2 s"
    for k, (title, old, new, do, words) in enumerate(MISTAKES, 1):
        told = said(old, new, do)
        print(f"{k}. {title}: `{new}` instead of `{old}`\n{told}\n")
        assert words in told, (title, words)
    if len(sys.argv) > 1:
        jd.simulate(jd.load(FILE)).draw([0, 20, 40, 60, 80], sys.argv[1])


if __name__ == "__main__":
    main()
