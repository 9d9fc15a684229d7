"""What a notebook shows: tables and pictures by themselves, plots without a magic word, nothing in red."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

import jourdain as jd
from jourdain.analysis.mechanism_card import words_of
from jourdain.files.gallery import example_names
from jourdain.plotting.cards import tables

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

# What each cell ends with, and whether a picture belongs to it.
SHOWN = {
    'm = jd.example("four_bar")\nm': True,
    "m.frozen()": True,
    "jd.check(m)": True,
    "jd.modes(m)": True,
    "jd.statics(m)": True,
    "jd.assemble(m)": True,
    'jd.kinematics(m, "A", from_="-45 deg", to="-20 deg")': True,
    'jd.compare(m, 0.05, coordinates=["angle"], treatments=["kkt"], integrators=["dopri5"])': True,
    'jd.simulate_many(m, 0.1, {"k": [100, 200]})': True,
    'jd.sensitivity(m, ["k"], ["A.load"], 0.1)': True,
    'jd.sensitivity(m, ["k"], ["A.load"], analysis="statics")': True,
    "jd.linearise(m)": False,
    "jd.graph(m)": True,
    'jd.equilibria(m, "k", [100, 200])': False,
    "jd.simulate(m, 0.1)": True,
    "jd.simulate(m, 0.1).state()": False,
    'jd.study(m, 0.1, vary={"k": [100, 200]}, collect="max(A.load)")': False,
}
PLOTTED = ('run.plot("A.angle")', "run.draw()", 'jd.simulate_many(m, 0.1, {"k": [100]}).plot("A.angle")')
BEGIN = "import jourdain as jd"
RUN = "run = jd.simulate(m, 0.1)"
COMPILE = "from jourdain.mechanism.telling import tell\ntell('compiling the kernels ...')"


@pytest.fixture(scope="module")
def cells() -> dict[str, list[Any]]:
    """A notebook that was run: outputs by the text of each cell."""
    texts = [BEGIN, *SHOWN, RUN, *PLOTTED, COMPILE]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    path = os.pathsep.join(filter(None, [str(Path(jd.__file__).parents[1]), os.environ.get("PYTHONPATH")]))
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3")
    client.execute(env={**os.environ, "PYTHONPATH": path})
    return {cell.source: cell.outputs for cell in notebook.cells}


@pytest.mark.slow
@pytest.mark.parametrize("text", SHOWN)
def test_a_result_is_shown_as_a_table_with_a_picture(cells: dict[str, list[Any]], text: str) -> None:
    html = next(output.data["text/html"] for output in cells[text] if output.output_type == "execute_result")
    assert "<t" in html or "<pre>" in html
    assert ("<img" in html and "data:image/png;base64,iVBOR" in html) == SHOWN[text]


@pytest.mark.slow
@pytest.mark.parametrize("text", PLOTTED)
def test_plots_appear_without_a_magic_word(cells: dict[str, list[Any]], text: str) -> None:
    (output,) = cells[text]
    assert output.data["image/png"].startswith("iVBOR")


@pytest.mark.slow
def test_nothing_is_red(cells: dict[str, list[Any]]) -> None:
    """What is on stderr is red there."""
    streams = [output for outputs in cells.values() for output in outputs if output.output_type == "stream"]
    assert {stream.name for stream in streams} == {"stdout"}
    assert cells[COMPILE][0].text == "jourdain: compiling the kernels ...\n"


@pytest.mark.parametrize("name", example_names())
def test_every_mechanism_prints_its_parts(name: str) -> None:
    m = jd.example(name)
    b = m.frozen()
    words = str(m)
    assert words == words_of(b) and words.startswith(f"{b.name}, {b.space}")
    assert f"{len(b.bodies)} bod" in words and "freedoms" in words
    assert all(joint.name in words for joint in b.joints[:12])
    assert "<img" in m._repr_html_()


def test_freedoms_are_counted_as_gruebler_does() -> None:
    """A planar four-bar has 3 x 3 - 4 x 2 = 1; a pendulum in space 6 - 5 = 1."""
    assert "3 x 3 - 8 = 1 by count" in str(jd.example("four_bar"))
    m = jd.Mechanism("p", gravity=(0, 0, -9.81))
    bar = m.body("bar", mass=1, inertia=(1, 1, 1), position=(0, 0, 0), points={"A": (0, 0, 0)})
    m.revolute("A", m.ground.point("A", (0, 0, 0)), bar["A"])
    assert "6 x 1 - 5 = 1 by count" in str(m)


def test_columns_become_cells() -> None:
    html = tables("a head\n  name  1.5  some words\nnote: what is <odd>")
    assert re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", html) == ["name", "1.5", "some words"]
    assert "<div>a head</div>" in html and "&lt;odd&gt;" in html
