"""Numbers of a mechanism by name: one name is found without the table of all."""

from __future__ import annotations

import pytest

import jourdain as jd
from jourdain.files.gallery import example_names
from jourdain.mechanism.numbers import find, known, path_of


@pytest.mark.parametrize("machine", example_names())
def test_one_name_is_found_as_in_the_table_of_all(machine: str) -> None:
    """Every name there is, and wrong ones: the same path, or the same sentence."""
    blueprint = jd.example(machine).frozen()
    table = known(blueprint)
    for name in (*table, "", "no", "gravty", *(f"{name}x" for name in list(table)[:5])):
        path, fault = find(blueprint, table, name)
        if fault:
            with pytest.raises(KeyError) as error:
                path_of(blueprint, name)
            assert error.value.args == (fault,)
        else:
            assert path_of(blueprint, name) == path


def test_of_a_thousand_bodies_only_one_is_looked_at() -> None:
    m = jd.Mechanism("many")
    for k in range(1000):
        m.body(f"b{k}", mass=1 + k, inertia=1, position=(k, 0))
    blueprint = m.frozen()
    found = known(blueprint, "b517.mass")
    assert {name.partition(".")[0] for name in found} == {"gravity", "b5", "b51", "b517"}
    assert path_of(blueprint, "b517.mass") == ("bodies", 517, "mass")
