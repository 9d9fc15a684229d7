"""Coordinate sets, one file each: the only code that knows what q and v mean.

`SETS` names each set and where it lives: module and, after a colon, the object in it. Adding a set is a file here and a
line in this table.
"""

SETS = {
    "planar": {
        "angle": "angle",
        "euler-parameters": "euler_parameters:planar",
        "natural": "linear:natural_planar",
        "points": "linear:points",
    },
    "spatial": {
        "quaternion": "quaternion",
        "euler-parameters": "euler_parameters:spatial",
        "natural": "linear:natural_spatial",
        "bryan": "euler:bryan",
        **{
            f"euler-{s}": f"euler:{s}"
            for s in ("xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz")
        },
    },
}
DEFAULT = {"planar": "angle", "spatial": "quaternion"}
