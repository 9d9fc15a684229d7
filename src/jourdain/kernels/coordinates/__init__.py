"""Coordinate sets, one file each: the only code that knows what q and v mean.

`SETS` names each set and where it lives: module and, after a colon, the object in it. Adding a set is a file here and a
line in this table (docs/adding-a-set.md). `relative` is not a set of each body's own coordinates, so it lives outside.
"""

_HERE = "jourdain.kernels.coordinates"
_SEQUENCES = ("xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")


def _euler() -> dict[str, str]:
    """`bryan` (xyz) and the other sequences; those ending in `-fixed` stop at a singularity instead of changing."""
    names = {s: "bryan" if s == "xyz" else f"euler-{s}" for s in _SEQUENCES}
    switching = {name: f"{_HERE}.euler:{s}" for s, name in names.items()}
    return {**switching, **{f"{name}-fixed": f"{_HERE}.euler:{s}_fixed" for s, name in names.items()}}


SETS = {
    "planar": {
        "angle": f"{_HERE}.angle",
        "euler-parameters": f"{_HERE}.euler_parameters:planar",
        "natural": f"{_HERE}.linear:natural_planar",
        "points": f"{_HERE}.linear:points",
        "relative": "jourdain.kernels.relative:planar",
    },
    "spatial": {
        "quaternion": f"{_HERE}.quaternion",
        "euler-parameters": f"{_HERE}.euler_parameters:spatial",
        "natural": f"{_HERE}.linear:natural_spatial",
        "relative": "jourdain.kernels.relative:spatial",
        **_euler(),
    },
}
DEFAULT = {"planar": "angle", "spatial": "quaternion"}
