"""An animation as one page of HTML: data and a small program that draws it, with nothing to fetch from elsewhere.

The page knows bodies by their forms in body axes, and their poses at the frames; it draws between frames by itself.
"""

from __future__ import annotations

import json
import math
import re
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..library.joints import Symbol, symbol_of
from ..library.joints.joint_kind import ON_RAILS, ROLLING
from ..library.kinds import LinkSymbol
from ..mechanism.parts import GROUND, Joint, PortName
from ..mechanism.port_axes import joint_axes
from ..model.states import attitude_from_frames
from .drawing_planar import clearance, covered_points, hangs, over_rail, pinned_points
from .forms import Form
from .scene import INK, MAX_NAMED_BODIES, MAX_NAMED_JOINTS, ROPE, SPRING, Scene

Array = npt.NDArray[np.float64]

TEMPLATE = Path(__file__).with_name("page.html")
DIGITS = 6  # of the mechanism's size, and of a radian


def write_page(scene: Scene, path: Path, speed: float) -> None:
    """Write the page for a scene whose run is a film."""
    path.write_text(page_text(scene, speed), encoding="utf-8")


def page_text(scene: Scene, speed: float) -> str:
    """The page for a scene whose run is a film."""
    data = json.dumps(page_data(scene, speed), separators=(",", ":"), allow_nan=False)
    text = TEMPLATE.read_text(encoding="utf-8")
    # A browser looks for "</script" and "<!--" in the data; JSON can write "<" otherwise, and has it in texts only.
    parts = {"@TITLE@": escape(scene.run.name), "@DATA@": data.replace("<", "\\u003c")}
    return re.sub("|".join(parts), lambda found: parts[found[0]], text)  # at once: a name may be @DATA@


def page_data(scene: Scene, speed: float) -> dict[str, Any]:
    """Everything the page draws: places in metres, times in seconds."""
    blueprint, t = scene.blueprint, scene.run.t
    places = _Rounding(scene.run.size)
    low, high = scene.bounds()
    numbers = {GROUND: -1} | {body.name: k for k, body in enumerate(blueprint.bodies)}

    def port(name: PortName) -> dict[str, Any]:
        return {"body": numbers[name.body], "at": places(blueprint.port(name).at)}

    return {
        "name": scene.run.name,
        "dim": blueprint.dim,
        "up": places(scene.up()),
        "low": places(low),
        "high": places(high),
        "start": float(t[0]),
        "step": float(t[-1] - t[0]) / max(len(t) - 1, 1),
        "frames": len(t),
        "speed": speed,
        "jumps": getattr(scene.run, "jumps", False),
        "named": {
            "bodies": len(blueprint.bodies) <= MAX_NAMED_BODIES,
            "joints": len(blueprint.joints) <= MAX_NAMED_JOINTS,
        },
        "colours": {"ink": INK, "spring": SPRING, "rope": ROPE},
        "bodies": [_body(scene, body.name, places) for body in blueprint.bodies],
        "joints": [
            {**_joint(scene, joint, places), "first": port(joint.first), "second": port(joint.second)}
            for joint in blueprint.joints
        ],
        "links": [
            {
                "name": link.name,
                "symbol": link.symbol.value,
                "first": port(link.first),
                "second": port(link.second),
                **_link(scene, link),
            }
            for link in scene.links
        ],
        "circles": [_circle(scene, circle, numbers, places) for circle in scene.circles(0)],
        "ground": _ground(scene, places),
        "switches": [[t, sorted(off)] for t, off in scene.switches.changes],
        "traces": [{**port(name), "colour": scene.colour[name.body]} for name in scene.traces],
    }


class _Rounding:
    """Numbers as short as they can be without being seen to be rounded."""

    def __init__(self, size: float) -> None:
        self._digits = DIGITS - math.floor(math.log10(size)) if 0 < size < math.inf else DIGITS

    def __call__(self, values: Any) -> Any:
        numbers = np.round(np.asarray(values, dtype=float), self._digits) + 0.0  # + 0.0 takes the sign off zeros
        return np.where(np.isfinite(numbers), numbers, 0.0).tolist()


def _body(scene: Scene, name: str, places: _Rounding) -> dict[str, Any]:
    form: Form = scene.forms[name]
    poses = scene.run.poses
    b = poses.index(name)
    attitude = attitude_from_frames(poses.frame[:, b : b + 1])[:, 0]
    if attitude.ndim == 1:
        turns = np.unwrap(attitude)[:, None]
    else:
        signs = np.cumprod(np.where(np.sum(attitude[1:] * attitude[:-1], axis=1) < 0, -1.0, 1.0))
        turns = attitude * np.concatenate([[1.0], signs])[:, None]
    kinds = ("faces", "spokes", "bars", "plates", "stems", "dots")
    return {
        "name": name,
        "colour": scene.colour[name],
        "position": places(poses.position[:, b]),
        "attitude": np.round(turns, DIGITS).tolist(),
        "lone": scene.blueprint.dim == 3 and not scene.blueprint.body(name).ports,
        **{kind: [places(piece) for piece in getattr(form, kind)] for kind in kinds},
    }


def _joint(scene: Scene, joint: Joint, places: _Rounding) -> dict[str, Any]:
    """Symbol, name, and in body axes the axes its symbol is drawn along."""
    axes = joint_axes(scene.blueprint, joint)
    symbol = symbol_of(joint)
    found: dict[str, Any] = {"name": joint.name, "symbol": symbol.value}
    found |= {key: np.round(np.asarray(axes[key], dtype=float), DIGITS).tolist() for key in axes}
    if symbol in (*ON_RAILS, Symbol.DISC):
        found["travel"] = places(scene.travel(joint))
    if symbol is Symbol.BLOCK and scene.blueprint.dim == 2:
        along = scene.axes(joint, 0)["x_i"]
        found |= {"below": clearance(scene, joint, 0), "half": clearance(scene, joint, 0, along)}
        if joint.first.body == GROUND:
            found["over"] = np.round(over_rail(scene, joint), DIGITS).tolist()
    if symbol is Symbol.DISC:
        found["radius"] = float(joint.values["radius"])
    second = joint.second.body
    found["solid"] = second != GROUND and bool(scene.forms[second].faces)
    return found


def _link(scene: Scene, link: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"length": scene.length(link)}
    if link.symbol is LinkSymbol.ROPE:
        found["slack"] = (scene.run[f"{link.name}.stretch"] <= 0).astype(int).tolist()
    return found


def _circle(scene: Scene, circle: Any, numbers: dict[str, int], places: _Rounding) -> dict[str, Any]:
    """A round thing in the axes of its body, where it does not change."""
    centre, u, v = circle.centre, circle.u, circle.v
    if circle.body != GROUND:
        b = scene.run.poses.index(circle.body)
        R = scene.run.poses.frame[0, b]
        centre, u, v = R.T @ (centre - scene.run.poses.position[0, b]), R.T @ u, R.T @ v
    found = {"centre": places(centre), "u": places(u), "v": places(v)}
    return {"body": numbers[circle.body], "colour": scene.colour[circle.body], **found}


def _ground(scene: Scene, places: _Rounding) -> list[dict[str, Any]]:
    """Points of the ground with the symbol that each is drawn with."""
    blueprint = scene.blueprint
    up = scene.up()
    if blueprint.dim == 3:
        return [{"at": places(port.at), "symbol": "plate"} for port in blueprint.ground.values()]
    found = []
    pinned = pinned_points(scene)
    for point in sorted(pinned):
        away = -up if hangs(scene, point, up) else up
        over = point in covered_points(scene)
        place = places(blueprint.ground[point].at)
        found.append({"at": place, "symbol": "support", "up": places(away), "over": over})
    for link in scene.links:
        for here, there in ((link.first, link.second), (link.second, link.first)):
            if here.body == GROUND and here.point not in pinned:
                across = scene.place(there, 0) - scene.place(here, 0)
                length = float(np.linalg.norm(across))
                away = across / length if length > 0 else up
                found.append({"at": places(blueprint.port(here).at), "symbol": "anchor", "up": places(away)})
    used = {p.point for j in blueprint.joints for p in (j.first, j.second) if p.body == GROUND}
    used |= {p.point for link in scene.links for p in (link.first, link.second) if p.body == GROUND}
    used |= {j.first.point for j in blueprint.joints if symbol_of(j) in ROLLING}
    found += [{"at": places(p.at), "symbol": "cross"} for name, p in blueprint.ground.items() if name not in used]
    return found
