"""The studio without a browser: protocol, edits, files, and what strangers may not do."""

from __future__ import annotations

import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jourdain as jd
from jourdain.files import gallery
from jourdain.mechanism import fence
from jourdain.mechanism.errors import FileError
from jourdain.studio.document_links import LinkError, link_of, text_of
from jourdain.studio.guard import Guard, Rate
from studio_page import COMPILING, PATIENCE, Page, Studio, studio

pytest.importorskip("websockets", reason="the studio's libraries are not installed")

SEED = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("studio")
    shutil.copy(gallery.path("four_bar"), found / "mine.yaml")
    return found


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Studio]:
    with studio(folder, "mine.yaml") as found:
        with Page(found) as page:
            page.until(lambda p: p.scene, COMPILING)
        yield found


@pytest.fixture
def page(running: Studio, folder: Path) -> Iterator[Page]:
    """A page of a machine that stands at its start."""
    shutil.copy(gallery.path("four_bar"), folder / "mine.yaml")
    with Page(running) as found:
        assert found.ask("open", file="mine.yaml")["ok"]
        found.until(lambda p: p.shot and p.shot["t"] == 0.0 and p.state["saved"])
        yield found


# What a page sees and does -------------------------------------------------------------------------------------------


def test_snapshots_are_where_the_machine_is(page: Page) -> None:
    """Poses at a time are those of a run by another method."""
    page.ask("step", n=500)
    page.until(lambda p: p.shot["n"] == 500)
    t = page.shot["t"]
    run = jd.simulate(jd.example("four_bar"), times=[0.0, t], integrator="dop853", rtol=1e-10, atol=1e-10)
    for body, pose in zip(("crank", "coupler", "rocker"), page.shot["poses"], strict=True):
        right = [run[f"{body}.{key}"][-1] for key in ("x", "y", "angle")]
        assert np.allclose(pose[:2], right[:2], atol=1e-5)
        assert abs((pose[2] - right[2] + np.pi) % (2 * np.pi) - np.pi) < 1e-5
    masses = [3.0, 3.0, 3.0]
    centre = np.average([pose[:2] for pose in page.shot["poses"]], axis=0, weights=masses)
    assert np.allclose(page.shot["centre"], centre, atol=1e-5)


def test_channels_come_in_the_order_asked_for(page: Page) -> None:
    answer = page.ask("subscribe", channels=["energy.total", "no.such", "crank.angle"])
    assert answer["channels"] == ["energy.total", "crank.angle"]
    page.until(lambda p: p.shot["subscription"] == answer["subscription"] and len(p.shot["values"]) == 2)
    assert page.shot["values"][1] == pytest.approx(-np.pi / 4)
    assert page.shot["values"][0] == pytest.approx(983.4314711621561)


def test_a_hand_pulls_and_lets_go(page: Page) -> None:
    page.ask("play")
    hand = page.ask("grab", point="coupler.C")["hand"]
    start = np.array(page.shot["poses"][1][:2])
    for k in range(40):
        to = [start[0] + 2.0, start[1] + 0.01 * k]
        page.socket.send(json.dumps({"ask": "move", "hand": hand, "to": to}))
        page.take()
    page.until(lambda p: p.shot["hands"] == 1 and any(abs(x) > 1.0 for x in p.shot["held"][6:8]))
    assert page.ask("release", hand=hand)["ok"]
    page.until(lambda p: p.shot["hands"] == 0)


def test_hands_of_a_page_that_is_gone_let_go(page: Page, running: Studio) -> None:
    with Page(running) as other:
        assert other.ask("grab", point="crank.B")["ok"]
        page.until(lambda p: p.shot["hands"] == 1)
    page.until(lambda p: p.shot["hands"] == 0)


def test_a_standing_machine_is_dragged(page: Page) -> None:
    hand = page.ask("grab", point="crank.B")["hand"]
    wanted = [2 * np.sqrt(8), 0.0]
    page.socket.send(json.dumps({"ask": "move", "hand": hand, "to": wanted}))
    page.until(lambda p: abs(p.shot["poses"][0][2]) < 0.5)
    crank = page.shot["poses"][0]
    assert np.hypot(crank[0], crank[1]) == pytest.approx(2.0, abs=1e-5)  # it still hangs on its pin


def test_cut_undo_redo_and_set(page: Page) -> None:
    assert page.ask("apply", operation={"do": "remove", "part": "joints.C"})["ok"]
    assert "C" not in [joint["name"] for joint in page.scene["joints"]]
    assert page.ask("undo")["ok"]
    assert "C" in [joint["name"] for joint in page.scene["joints"]]
    assert page.state["redo"]
    answer = page.ask("apply", operation={"do": "set", "number": "k", "value": "300 N/m"})
    assert answer["ok"]
    assert "k: 300 N/m" in page.state["text"]
    rows = {row["name"]: row for part in page.state["tree"][0]["parts"] for row in part["numbers"]}
    assert rows["k"]["written"] == "300 N/m"
    assert rows["k"]["value"] == 300.0


def test_a_refusal_is_a_sentence_and_changes_nothing(page: Page) -> None:
    text = page.state["text"]
    answer = page.ask("apply", operation={"do": "set", "number": "crank.mass", "value": "-3 kg"})
    assert not answer["ok"]
    assert "mass" in answer["sentence"]
    assert page.state["text"] == text


def test_a_text_with_faults_is_underlined_and_the_machine_runs_on(page: Page) -> None:
    good = page.state["text"]
    broken = good.replace("mass: 3 kg", "mas: 3 kg", 1)
    (fault,) = [f for f in page.ask("check", text=broken)["faults"] if "mas" in f["words"]][:1]
    assert broken.splitlines()[fault["line"] - 1][fault["column"] - 1 :].startswith("mas:")
    page.ask("play")
    assert page.ask("apply", operation={"do": "text", "value": broken})["ok"]
    assert page.state["faults"]
    n = page.shot["n"]
    page.until(lambda p: p.shot["n"] > n + 20)
    assert page.ask("undo")["ok"]
    assert page.state["text"] == good


def test_scrub_and_branch(page: Page) -> None:
    page.ask("step", n=300)
    page.until(lambda p: p.shot["n"] == 300)
    there = page.shot["poses"]
    page.ask("seek", t=0.1)
    page.until(lambda p: p.shot["n"] == 100)
    page.ask("step", n=200)
    page.until(lambda p: p.shot["n"] == 300)
    assert page.shot["poses"] == there
    assert page.state["branch"] == "branch 1"
    assert {branch["name"] for branch in page.state["branches"]} == {"main", "branch 1"}
    assert page.ask("take", branch="main")["ok"]
    assert page.state["branch"] == "main"


def test_a_lock_holds_and_is_no_part_of_the_text(page: Page) -> None:
    text, before = page.state["text"], page.shot["poses"]
    assert page.ask("lock", body="crank")["ok"]
    assert page.state["locked"] == ["crank"]
    assert not page.ask("lock", body="crank")["ok"]
    rows = {row["label"]: row for row in page.ask("menu", parts=["bodies.crank"])["rows"]}
    assert rows["Let it move again"]["ask"] == {"ask": "unlock", "body": "crank"}
    page.ask("step", n=100)
    page.until(lambda p: p.shot["n"] == 100)
    assert np.allclose(page.shot["poses"], before, atol=1e-6)
    assert page.ask("unlock", body="crank")["ok"]
    assert page.state["text"] == text
    assert not any(name.startswith("_") for name in page.state["channels"])


def test_marks_are_edits_events_and_moments(page: Page, folder: Path) -> None:
    """A pendulum that passes its lowest point, which a formula of its file tells."""
    event = "\nevents:\n  low: {when: bar.vy, direction: both}\n"
    (folder / "own.yaml").write_text(gallery.path("pendulum").read_text() + event)
    assert page.ask("open", file="own.yaml", patience=COMPILING)["ok"]
    page.ask("step", n=1500)
    page.ask("snapshot", name="here")
    page.ask("apply", operation={"do": "set", "number": "bar.mass", "value": "2 kg"})
    page.until(lambda p: any(mark["kind"] == "edit" for mark in marks(p)))
    kinds = [mark["kind"] for mark in marks(page)]
    assert kinds.count("snapshot") == 1
    assert kinds.count("edit") == 1
    happened = [mark["t"] for mark in marks(page) if mark["kind"] == "event"]
    run = jd.simulate(jd.load(folder / "own.yaml"), 1.5)
    assert happened == pytest.approx(run.events["low"].t, abs=1e-5)
    assert happened
    (folder / "own.yaml").unlink()


def marks(page: Page) -> list[dict[str, Any]]:
    return next((event["marks"] for event in reversed(page.events) if event["event"] == "marks"), [])


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_new_machine_runs_and_takes_what_menus_offer(page: Page, space: str) -> None:
    """Every row that is offered can be done, one after the other."""
    assert page.ask("open", new=space, patience=COMPILING)["ok"]
    assert page.state["runs"]
    done = 0
    for asked in ({"section": "bodies"}, {"section": "motions"}, {"parts": ["bodies.bar"]}, {"parts": ["ground"]}):
        for row in page.ask("menu", **asked)["rows"]:
            if row["operation"] and not row["why"] and row["operation"]["do"] == "insert":
                answer = page.ask("apply", operation=row["operation"])
                assert answer["ok"], answer
                done += 1
                page.ask("undo")
    assert done >= 7
    for asked in ({"section": "joints"}, {"parts": ["joints.A"]}):
        rows = page.ask("menu", **asked)["rows"]
        assert all(row["why"] or row["operation"] for row in rows)


def test_a_recording_is_opened_and_goes_on(page: Page, folder: Path) -> None:
    assert page.ask("record")["ok"]
    (path,) = folder.glob("*.jdlive")
    page.ask("step", n=400)
    page.until(lambda p: p.shot["n"] == 400)
    there = page.shot["poses"]
    page.ask("open", file="mine.yaml")
    assert page.ask("examples")["recordings"] == [path.name]
    assert page.ask("open", recording=path.name, patience=COMPILING)["ok"]
    page.until(lambda p: p.shot["t"] == 0.0 and p.shot["end"] == pytest.approx(0.4))
    page.ask("seek", t=0.4)
    page.until(lambda p: p.shot["n"] == 400)
    assert page.shot["poses"] == there
    page.ask("step", n=10)
    assert page.state["branch"] == "main"  # it goes on where it ended
    for name in ("../x.jdlive", "mine.yaml", "none.jdlive"):
        assert not page.ask("open", recording=name)["ok"]
    path.unlink()


def test_two_pages_see_one_machine(page: Page, running: Studio) -> None:
    with Page(running) as other:
        other.until(lambda p: p.state)
        page.ask("apply", operation={"do": "set", "number": "crank.mass", "value": "5 kg"})
        other.until(lambda p: "mass: 5 kg" in p.state["text"])


def test_one_snapshot_is_under_way(page: Page, running: Studio) -> None:
    """A page that does not acknowledge gets no second one, but all events."""
    with Page(running) as other:
        page.ask("play")
        while not other.shot:
            other.take(acknowledge=False)
        first = other.shot
        n = page.shot["n"]
        page.until(lambda p: p.shot["n"] > n + 100)
        assert other.ask("check", text="a: 1")["ok"]
        assert other.shot == first
        other.socket.send(json.dumps({"ack": first["serial"]}))
        other.until(lambda p: p.shot["serial"] != first["serial"])
        assert other.shot["n"] > n + 100  # the newest, not those between


# Files ---------------------------------------------------------------------------------------------------------------


def test_saving_writes_the_text_and_nothing_else_does(page: Page, folder: Path) -> None:
    before = (folder / "mine.yaml").read_text()
    page.ask("apply", operation={"do": "set", "number": "k", "value": "250 N/m"})
    assert (folder / "mine.yaml").read_text() == before
    assert not page.state["saved"]
    assert page.ask("save")["ok"]
    assert (folder / "mine.yaml").read_text() == page.state["text"] != before
    (folder / "mine.yaml").write_text(before)  # somebody else
    answer = page.ask("save")
    assert not answer["ok"]
    assert "changed on disk" in answer["sentence"]
    assert page.ask("save", overwrite=True)["ok"]


def test_a_system_is_opened_as_the_machine_it_stands_for(page: Page, folder: Path) -> None:
    """And is not written over: its own file says more."""
    bar = "{mass: 1, inertia: 1, position: [@, 0.5], points: {A: [0, 0.5], B: [0, -0.5]}}"
    for name, x in (("one", "0"), ("two", "1")):
        ground = f"ground: {{points: {{O: [{x}, 1]}}}}"
        joint = "joints: {O: {type: revolute, between: [ground.O, bar.A]}}"
        (folder / f"{name}.yaml").write_text(
            f"jourdain: 1\n{ground}\nbodies: {{bar: {bar.replace('@', x)}}}\n{joint}\n"
        )
    link = "{type: distance, between: [a.bar.B, b.bar.B], length: 1 m}"
    text = f"jourdain: 1\nsubsystems: {{a: {{path: one.yaml}}, b: {{path: two.yaml}}}}\njoints: {{link: {link}}}\n"
    (folder / "both.yaml").write_text(text)
    assert page.ask("open", file="both.yaml", patience=COMPILING)["ok"]
    assert len(page.scene["bodies"]) == 2
    assert not page.ask("save")["ok"]
    assert (folder / "both.yaml").read_text() == text
    for name in ("one", "two", "both"):
        (folder / f"{name}.yaml").unlink()


def test_opening_the_same_file_again_is_told(page: Page) -> None:
    """A page that was told to wait must hear that it is over, though nothing is different."""
    page.events.clear()
    assert page.ask("open", file="mine.yaml")["ok"]
    told = [event["event"] for event in page.events]
    assert "busy" in told
    assert told.index("state") > told.index("busy")
    assert "scene" in told


def test_a_machine_that_was_opened_is_shown(page: Page) -> None:
    """Its first moment comes behind its scene: a page takes none of a scene that it does not know, and it stands."""
    for _ in range(8):
        assert page.ask("open", file="mine.yaml")["ok"]
        page.until(lambda p: p.shot and p.shot["scene"] == p.scene["number"])


def test_an_example_needs_a_name_to_be_saved(page: Page, folder: Path) -> None:
    page.ask("open", example="pendulum")
    assert not page.ask("save")["ok"]
    assert page.ask("save", name="own.yaml")["ok"]
    assert jd.load(folder / "own.yaml").frozen().bodies
    (folder / "own.yaml").unlink()


@pytest.mark.parametrize("name", ["../x.yaml", "/etc/passwd", "/tmp/x.yaml", "link.yaml", "", ".", "a\0.yaml", "x.txt"])
def test_files_outside_are_refused(page: Page, folder: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "secret.yaml"
    outside.write_text(gallery.path("pendulum").read_text())
    link = folder / "link.yaml"
    link.unlink(missing_ok=True)
    link.symlink_to(outside)
    before = page.state["text"]
    assert not page.ask("open", file=name)["ok"]
    assert not page.ask("save", name=name, overwrite=True)["ok"] or name == ""  # without a name: its own
    assert page.state["text"] == before
    assert outside.read_text() == gallery.path("pendulum").read_text()
    link.unlink()


def test_a_document_cannot_read_outside_the_folder(page: Page, folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("a,b\n0,1\n1,2\n")
    other = tmp_path / "other.yaml"
    other.write_text("jourdain: 1\nbodies: {secret: {mass: 1 kg, inertia: 1}}\n")
    texts = (
        f"jourdain: 1\ninclude: [{{path: {other}, prefix: p_}}]\n",
        "jourdain: 1\ninclude: [{path: ../../../../../../etc/passwd, prefix: p_}]\n",
        f"jourdain: 1\nlibrary: {other}\nbodies: {{a: {{mass: 1, inertia: 1}}}}\n",
        f"jourdain: 1\ntables: {{g: {{file: {table}, columns: [a, b], units: [s, m]}}}}\nbodies: {{a: {{mass: 1}}}}\n",
    )
    for text in texts:
        words = " ".join(fault["words"] for fault in page.ask("check", text=text)["faults"])
        assert "outside the folder" in words, words
        assert "secret" not in words
    (folder / "outside.yaml").write_text(f"jourdain: 1\nsubsystems: {{a: {{path: {other}}}}}\n")
    answer = page.ask("open", file="outside.yaml")
    assert not answer["ok"]
    assert "outside the folder" in answer["sentence"]
    (folder / "outside.yaml").unlink()


def test_the_fence_stands_as_long_as_it_is_wanted(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("jourdain: 1\nbodies: {a: {mass: 1, inertia: 1}}\n")
    fence.put_up([tmp_path / "inside"])
    try:
        with pytest.raises(FileError, match="outside the folder"):
            jd.load(file)
    finally:
        fence.put_up(None)
    assert jd.load(file).frozen().bodies


# Strangers -----------------------------------------------------------------------------------------------------------


def test_guard() -> None:
    guard = Guard("secret", "127.0.0.1")
    ours = "http://127.0.0.1:8642"
    assert guard.refusal("secret", "127.0.0.1:8642", ours, True) == ""
    assert guard.refusal("secret", "localhost:9", None, False) == ""
    assert guard.refusal("Secret", "127.0.0.1:8642", ours, True) == "wrong token"
    assert guard.refusal("", "127.0.0.1:8642", ours, True) == "wrong token"
    assert guard.refusal("sécret", "127.0.0.1:8642", ours, True) == "wrong token"
    for host in ("evil.example", "127.0.0.1.evil.example", "", "10.0.0.1", "[", "localhost@evil.example"):
        assert guard.refusal("secret", host, f"http://{host}", True) == "foreign host", host
    assert guard.refusal("secret", "localhost:1", None, True) == "no origin"
    for origin in ("http://evil.example", "null", "http://localhost:2", "https://localhost:1"):
        assert guard.refusal("secret", "localhost:1", origin, False) == "foreign origin"
    wide = Guard("secret", "0.0.0.0")
    assert wide.refusal("secret", "10.0.0.1:8642", "http://10.0.0.1:8642", True) == ""
    assert wide.refusal("secret", "evil.example", "http://evil.example", True) == "foreign host"


def test_a_rate_runs_dry_and_fills_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("jourdain.studio.guard.time.monotonic", lambda: now[0])
    rate = Rate(10.0, 5.0)
    assert [rate.take() for _ in range(7)] == [True] * 5 + [False] * 2
    now[0] = 0.2
    assert [rate.take() for _ in range(3)] == [True, True, False]


def request(running: Studio, path: str, **headers: str) -> bytes:
    """What the studio answers to a plain request."""
    host, port = running.origin.removeprefix("http://").split(":")
    lines = {"Host": f"{host}:{port}", "Connection": "close", **{k.replace("_", "-"): v for k, v in headers.items()}}
    with socket.create_connection((host, int(port)), timeout=60) as line:
        text = f"GET {path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in lines.items()) + "\r\n"
        line.sendall(text.encode())
        answer = b""
        while piece := line.recv(65536):
            answer += piece
    return answer


def test_strangers_get_nothing(running: Studio) -> None:
    token = running.token
    assert b" 200 " in request(running, f"/{token}/")[:15]
    assert b" 200 " in request(running, f"/{token}/gallery/pendulum.webp")[:15]
    assert b" 403 " in request(running, "/wrong/")[:15]
    assert b" 403 " in request(running, "/wrong/gallery/pendulum.webp")[:15]
    assert b" 403 " in request(running, f"/{token}/", Host="evil.example")[:15]
    assert b" 403 " in request(running, f"/{token}/", Origin="http://evil.example")[:15]
    assert b" 404 " in request(running, "/")[:15]
    for path in ("../bench.py", "%2e%2e/bench.py", "..%2fbench.py", "/etc/passwd", "page/../../bench.py"):
        assert b" 200 " not in request(running, f"/{token}/{path}")[:15], path
    upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    upgrade["Sec_WebSocket_Key"] = "dGhlIHNhbXBsZSBub25jZQ=="
    for more in ({}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
        assert b" 101 " not in request(running, f"/{token}/socket", **upgrade, **more)[:15]
    assert b" 101 " not in request(running, "/wrong/socket", **upgrade, Origin=running.origin)[:15]


def nonsense(rng: random.Random, depth: int = 0) -> object:
    """Anything that can be written as JSON."""
    kinds = [None, True, -1, 0, 2**70, 1e308, -0.5, "", "crank.B", "joints.C", "a" * 300, "<b>", "\u0000", "../x"]
    pick = rng.random()
    if depth > 3 or pick < 0.6:
        return rng.choice(kinds)
    if pick < 0.8:
        return [nonsense(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {str(rng.choice(kinds)): nonsense(rng, depth + 1) for _ in range(rng.randrange(4))}


def fuzzed(rng: random.Random) -> str | bytes:
    words = (
        *("apply", "undo", "redo", "check", "menu", "save", "step", "seek", "speed", "take", "snapshot", "grab"),
        *("move", "release", "lock", "unlock", "subscribe", "nothing", "__init__", "answer"),
    )
    keys = (
        *("operation", "text", "parts", "name", "n", "t", "x", "branch", "point", "at", "plane", "hand", "to"),
        *("channels", "id", "back", "overwrite", "ack", "body", "section", "turn"),
    )
    message = {"ask": rng.choice(words), **{rng.choice(keys): nonsense(rng) for _ in range(rng.randrange(5))}}
    if rng.random() < 0.3:
        do = rng.choice(["set", "insert", "remove", "rename", "move", "choose", "text", "no"])
        more = {rng.choice(["part", "number", "value", "to", "close"]): nonsense(rng) for _ in range(3)}
        message = {"ask": "apply", "operation": {"do": do, **more}}
    message.pop("name", None) if message["ask"] == "save" else None
    text = json.dumps(message)
    kind = rng.random()
    if kind < 0.1:
        return text[: rng.randrange(len(text))]
    if kind < 0.15:
        return bytes(rng.randrange(256) for _ in range(50))
    if kind < 0.2:
        return "[" * rng.choice([10, 100_000])
    if kind < 0.25:
        return rng.choice(["NaN", '{"ask": "seek", "t": Infinity}', '{"ack": NaN}', '"x"', "[]", "0", ""])
    return text


def test_a_thousand_wild_messages_and_the_machine_runs_on(page: Page, running: Studio, folder: Path) -> None:
    rng = random.Random(SEED)
    before = sorted(path.name for path in folder.iterdir())
    with Page(running) as stranger:
        stranger._last = 10_000  # so that no number of its nonsense is that of an ask
        for k in range(1000):
            stranger.socket.send(fuzzed(rng))
            if k % 50 == 49:  # it is a stranger, but no faster than it is answered
                assert stranger.ask("check", text="a: 1")["ok"]
    assert sorted(path.name for path in folder.iterdir()) == before
    assert page.ask("open", file="mine.yaml")["ok"]
    page.ask("play")
    page.until(lambda p: p.shot["t"] > 0.05 and p.shot["flags"] & 1)
    assert running.process.poll() is None


def test_too_many_and_too_large_are_cut_off(page: Page, running: Studio) -> None:
    from websockets.exceptions import ConnectionClosed

    with Page(running) as stranger:
        with pytest.raises(ConnectionClosed):
            for _ in range(200_000):
                stranger.socket.send('{"ack": 0}')
        with pytest.raises(ConnectionClosed):
            while True:
                stranger.take()
    with Page(running) as stranger, pytest.raises(ConnectionClosed):
        stranger.socket.send("x" * 5_000_000)
        while True:
            stranger.take()
    assert page.ask("step", n=1)["ok"]


# Links ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", gallery.example_names())
def test_a_link_has_the_text_and_nothing_else(name: str) -> None:
    text = gallery.path(name).read_text()
    link = link_of(text)
    assert text_of(link) == text
    assert re.fullmatch(r"jourdain:studio#[\w-]+", link)


def test_links_that_are_no_documents_are_refused() -> None:
    good = link_of("jourdain: 1\n" * 50)
    bomb = link_of("a" * 3_000_000)
    assert len(bomb) < 10_000
    for link in (bomb, good[:-4], good + "????", "jourdain:studio#", "jourdain:studio#!", "x" * 200_000, "http://x/#a"):
        with pytest.raises(LinkError):
            text_of(link)
    with pytest.raises(LinkError, match="letters"):
        link_of("".join(random.Random(SEED).choices("abcdefghij ", k=500_000)))


def test_check_share_and_record(page: Page, folder: Path) -> None:
    assert any("degree" in line or "freedom" in line for line in page.ask("report")["lines"])
    assert text_of(page.ask("share")["link"]) == page.state["text"]
    answer = page.ask("record")
    assert answer["ok"], answer
    (path,) = folder.glob("*.jdlive")
    assert path.name in answer["sentence"]
    page.ask("step", n=20)
    page.ask("open", file="mine.yaml")
    words = [sys.executable, "-m", "jourdain", "replay", str(path), "--verify"]
    assert subprocess.run(words, capture_output=True, timeout=PATIENCE).returncode == 0
    path.unlink()


# Start and end -------------------------------------------------------------------------------------------------------


def test_a_second_studio_on_the_same_file_is_told(running: Studio, folder: Path) -> None:
    words = [sys.executable, "-m", "jourdain", "studio", "mine.yaml", "--no-open"]
    found = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert "open already" in found.stdout
    assert running.address in found.stdout


def test_a_taken_port_the_next_and_the_end(tmp_path: Path) -> None:
    """Nothing is written at the end that was not asked for."""
    shutil.copy(gallery.path("pendulum"), tmp_path / "a.yaml")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with studio(tmp_path, "--port", str(port)) as found:
            assert int(found.origin.rsplit(":", 1)[1]) > port
            with Page(found) as page:
                answer = page.ask("examples")
                assert "four_bar" in [example["name"] for example in answer["examples"]]
                assert answer["files"] == ["a.yaml"]
            found.process.send_signal(signal.SIGTERM)
            assert found.process.wait(PATIENCE) in (0, -signal.SIGTERM)
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]


def test_missing_libraries_are_told_by_the_line_for_pip(tmp_path: Path) -> None:
    code = "import sys; sys.modules['uvicorn'] = None\nfrom jourdain.cli.main import main\nsys.exit(main(['studio']))"
    found = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert found.returncode != 0
    assert "pip install 'jourdain[studio]'" in found.stderr


def test_importing_jourdain_loads_no_server() -> None:
    code = "import sys, jourdain, jourdain.cli.main\nprint([m for m in ('starlette', 'uvicorn') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert found.stdout.strip() == "[]"
