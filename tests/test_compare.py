"""compare: every combination that applies, judged against the most accurate run."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import pytest

import jourdain as jd
import machines
from jourdain.analysis import compare as room
from jourdain.cli import codes


@pytest.fixture(scope="module")
def comparison():
    return jd.compare(
        machines.four_bar(),
        0.5,
        coordinates=["angle", "natural"],
        treatments=["kkt", "udwadia-kalaba", "index3"],
        integrators=["rk4", "generalized-alpha", "dop853"],
    )


def test_combinations_that_do_not_go_together_are_left_out_with_the_reason(comparison):
    names = {(way.treatment, way.integrator) for way in comparison.ways}
    assert ("index3", "generalized-alpha") in names and ("kkt", "rk4") in names
    assert ("kkt", "generalized-alpha") not in names and ("index3", "rk4") not in names
    assert any("index3 is solved inside a step" in reason for reason in comparison.refused)


def test_errors_are_those_of_the_methods(comparison):
    """RK4 at 2 ms errs by 1e-9 on this machine, generalized-alpha by 1e-4: halving the step shows their orders."""

    def errors(integrator, treatment):
        return {
            way.setting: way.error
            for way in comparison.ways
            if (way.coordinates, way.treatment, way.integrator) == ("angle", treatment, integrator)
        }

    rk4, alpha = errors("rk4", "kkt"), errors("generalized-alpha", "index3")
    assert rk4["0.002"] / rk4["0.001"] == pytest.approx(16, rel=0.3)
    assert alpha["0.002"] / alpha["0.001"] == pytest.approx(4, rel=0.2)
    assert all(way.violation < 1e-10 for way in comparison.ways)
    assert all(way.evaluations > 0 and way.seconds > 0 for way in comparison.ways)


def test_table_is_sorted_by_error_and_picture_has_a_line_each(comparison, tmp_path):
    rows = [line for line in str(comparison).splitlines() if line.startswith(("angle", "natural"))]
    ranked = sorted(comparison.ways, key=lambda way: way.error)
    assert [row.partition("  ")[0] for row in rows] == [way.name for way in ranked]
    path = tmp_path / "comparison.png"
    figure = comparison.plot(path)
    lines = {way.choices for way in comparison.ways}
    assert len(figure.axes[0].lines) == len(lines)
    assert path.stat().st_size > 10_000


def test_a_run_that_fails_is_in_the_table_with_its_sentence():
    m = jd.Mechanism("stiff")
    bob = m.body("bob", mass=1, inertia=1, position=(1, 0), velocity=(0, 1), points={"P": (0, 0)})
    m.spring_damper("spring", m.ground.point("O", (0, 0)), bob["P"], stiffness=1e9, length=1)
    found = jd.compare(m, 0.1, coordinates=["angle"], treatments=["kkt"], integrators=["ab6"], steps=[1e-3])
    (way,) = found.ways
    assert way.error is None
    assert "ab6 is unstable with this step" in way.status.sentence
    assert way.status.sentence in str(found)


def test_nothing_to_compare_with():
    m = jd.Mechanism("wall", gravity=(0, -9.81))
    ball = m.body("ball", mass=1, inertia=1, position=(1, 0), velocity=(0, 0), points={"P": (0, 0)})
    m.force("wild", on=ball["P"], vector=("1 / (0.05 - t)**3", 0))
    with pytest.warns(jd.SimulationWarning), pytest.raises(jd.JourdainError, match="nothing to compare with"):
        jd.compare(m, 0.1)


def test_defaults_that_a_mechanism_brings_along_do_not_hinder():
    m = machines.four_bar()
    m.defaults = {"duration": 5.0, "integrator": "rk4", "step": 1e-3}
    found = jd.compare(m, 0.1, coordinates=["angle"], treatments=["kkt"], integrators=["dop853"])
    assert all(way.error is not None for way in found.ways)


FEW = {"coordinates": ["angle"], "treatments": ["kkt"], "integrators": ["rk4"], "steps": [4e-3, 2e-3, 1e-3]}


def test_stabilisations_are_ways_of_their_own():
    """Joints drift without any; Baumgarte's gains leave them open a little; projection closes them."""
    few = FEW | {"treatments": ["kkt", "partitioning"], "steps": [2e-3]}
    found = jd.compare(machines.four_bar(), 0.5, **few, stabilisations=["none", "baumgarte", "projection", "ggl"])
    open_by = {way.stabilisation: way.violation for way in found.ways}
    assert list(open_by) == ["none", "baumgarte", "projection"]
    assert open_by["projection"] < 1e-12 < min(open_by["baumgarte"], open_by["none"])
    assert max(open_by.values()) < 1e-5
    assert [way.name for way in found.ways][1] == "angle, kkt + baumgarte, rk4 0.002"
    refused = "\n".join(found.refused)
    assert "partitioning corrects its dependent coordinates" in refused
    assert "ggl" in refused


def test_without_stabilisations_each_treatment_has_its_own():
    few = FEW | {"treatments": ["kkt", "partitioning", "penalty"], "steps": [2e-3]}
    found = jd.compare(machines.four_bar(), 0.05, **few)
    assert [way.stabilisation for way in found.ways] == ["projection", "dependent", "baumgarte"]


@pytest.mark.parametrize(
    "choice, name, words",
    [
        ("coordinates", "angel", r"unknown coordinates 'angel'; known: .*\(did you mean 'angle'\?\)"),
        ("treatments", "kt", "unknown treatment 'kt'; known: .*kkt"),
        ("stabilisations", "bamgarte", r"unknown stabilisation 'bamgarte'; known: .*\(did you mean 'baumgarte'\?\)"),
        ("integrators", "rk5", "unknown integrator 'rk5'; known: .*rk4"),
    ],
)
def test_names_that_do_not_exist_are_refused(choice, name, words):
    with pytest.raises(jd.ChoiceError, match=words):
        jd.compare(machines.four_bar(), 0.1, **(FEW | {choice: [name]}))


def test_coordinates_of_space_for_a_machine_in_the_plane_are_left_out_with_the_reason():
    found = jd.compare(machines.four_bar(), 0.05, **(FEW | {"coordinates": ["quaternion", "angle"]}))
    assert {way.coordinates for way in found.ways} == {"angle"}
    assert len(found.refused) == 1 and "quaternion" in found.refused[0]


def test_choices_of_which_nothing_goes_together_are_refused_with_the_reasons():
    with pytest.raises(jd.ChoiceError, match="nothing to compare: index3 is solved inside a step, which rk4 cannot do"):
        jd.compare(machines.four_bar(), 0.1, **(FEW | {"treatments": ["index3"]}))


def test_ctrl_c_between_two_runs_gives_the_table_so_far():
    told = []

    def press(done, count):
        told.append((done, count))
        if done == 2:
            signal.raise_signal(signal.SIGINT)

    found = jd.compare(machines.four_bar(), 0.05, **FEW, progress=press)
    assert told == [(1, 3), (2, 3)]
    assert found.interrupted
    assert [way.setting for way in found.ways] == ["0.004", "0.002"]
    assert str(found).endswith("interrupted: not all ways were tried")
    assert not jd.compare(machines.four_bar(), 0.05, **FEW).interrupted


@pytest.fixture
def interrupted_after(monkeypatch):
    """Runs after so many end as if Ctrl-C had been pressed in them."""

    def prepare(count):
        simulate, done = room.simulate, []

        def simulated(*arguments, **options):
            run = simulate(*arguments, **options)
            done.append(run)
            if len(done) > count:
                run.status = replace(run.status, ok=False, interrupted=True)
            return run

        monkeypatch.setattr(room, "simulate", simulated)

    return prepare


WORDS = ("compare", "arm.yaml", "--coordinates", "angle", "--treatments", "kkt", "--integrators", "rk4")


def test_ctrl_c_within_a_run_ends_the_command_with_the_table_so_far(jourdain, interrupted_after):
    interrupted_after(2)
    said = jourdain(*WORDS, "--stabilisations", "projection,none")
    assert said.code == codes.INTERRUPTED
    assert said.out.count("angle, kkt + projection, rk4 0.002") == 1
    assert "rk4 0.001" not in said.out
    assert said.out.endswith("interrupted: not all ways were tried\n")


def test_ctrl_c_before_there_is_a_table(jourdain, interrupted_after):
    interrupted_after(0)
    said = jourdain(*WORDS)
    assert said.code == codes.INTERRUPTED
    assert said.err == "jourdain: interrupted before there was anything to keep\n"


def test_json_has_no_words_for_what_is_not_finite(jourdain):
    """A step too long for the machine: the run fails, and its numbers are null."""
    said = jourdain(
        "compare", "arm.yaml", *WORDS[2:6], "--integrators", "ab6", "--steps", "0.5", "--json", "--set", "k=9e6"
    )
    facts = json.loads(said.out, parse_constant=lambda word: pytest.fail(word))
    assert facts["ways"][0]["error"] is None
    assert facts["interrupted"] is False
