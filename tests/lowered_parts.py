"""Components given as parts: a component of type "lowered" stands for the Lowered it carries, whatever the library."""

from __future__ import annotations

import dataclasses

import pytest

from jourdain import library
from jourdain.equations.lowered import Lowered
from jourdain.library import mechanism_faults
from jourdain.mechanism.parts import Component

_own = (library.lowered, mechanism_faults.faults_of)


@pytest.fixture(autouse=True, scope="module")
def parts_of_components():
    """Import this fixture into a test module to use `part`."""
    with pytest.MonkeyPatch.context() as patch:
        for room in (library, mechanism_faults):
            patch.setattr(room, "lowered", lambda c, b: c.values["parts"] if _given(c) else _own[0](c, b))
        patch.setattr(mechanism_faults, "faults_of", lambda c, b, known=None: [] if _given(c) else _own[1](c, b, known))
        yield


def _given(component):
    return isinstance(component, Component) and component.type == "lowered"


def part(name, **kinds):
    """A component made of equations, efforts, loads, couples, states and channels."""
    return Component(name, "lowered", {"parts": Lowered(**kinds)})


def with_parts(blueprint, *parts):
    return dataclasses.replace(blueprint, relations=(*blueprint.relations, *parts))
