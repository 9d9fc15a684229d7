"""How near the rows of J are to depending on each other, and which of them: found from sparse factors, loop by loop.

A singular value of the whole J shrinks as a machine grows, whether or not one of its loops comes near a singular
position; and it takes a dense matrix. Here every row is scaled to length one, with metres and radians made comparable
by the size of each body, and S S^T is factored sparsely. The combination x of rows, |x| = 1, that comes nearest to
nothing is found by inverse iteration, always from the same start, so that it changes steadily with the pose. What is
left of it over its largest part is the sine of the angle between that row and the others, in the one loop where it
vanishes, however many others there are. Pivots would be such sines, too, but depend on the order of elimination, and
that on entries which happen to be zero. In joint coordinates the rows of cut joints stand beside those that tell how
each link follows its parent, since a row of theirs alone may vanish altogether.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels.layout import fields as f
from ..kernels.layout import link_columns_planar, link_columns_spatial
from ..kernels.layout import tree_table as tree
from .pose import Pose

Array = npt.NDArray[Any]

LIFT = 1e-15  # added to the diagonal, so that rows that depend on each other can be factored
FAR = 0.5  # of pivots: no row is near the others
ROUNDS = 5  # of the iteration
NOTHING = 1e-13  # of the largest square of a sine: rounding
SHARE = 1e-2  # of the largest part in a combination of rows that vanishes: rows with less have no part in it


class Independence(NamedTuple):
    """The sine of the smallest angle between a row and the others; names of joints whose rows make it."""

    least: float
    joints: tuple[str, ...]


def row_independence(pose: Pose, t: float, y: Array, names: bool = False) -> Independence:
    """At a state. Rows that were left out at the start do not count; `names` costs one more solution."""
    model = pose.model
    kept = [row for row in model.rows if not row.dropped]
    if not kept:
        return Independence(1.0, ())
    pose.place(t, y)
    from scipy.sparse import csr_array, eye_array  # 0.1 s to import, and few runs look

    S = _link_rows(pose, [row.row for row in kept]) if model.set.joined else _body_rows(pose, [r.row for r in kept])
    lengths = np.sqrt(np.asarray(S.multiply(S).sum(axis=1)).ravel())
    if not np.all(np.isfinite(lengths)):  # a user's function failed, or the pose cannot be: that is another matter
        return Independence(1.0, ())
    S = csr_array(S.multiply((1.0 / np.where(lengths > 0.0, lengths, 1.0))[:, None]))
    return _factored((S @ S.T + LIFT * eye_array(S.shape[0])).tocsc(), kept, pose.workspace.plan.redundant, names)


def told_apart(pose: Pose, t: float, y: Array) -> Array:
    """A row for each equation of the model, whose lengths and angles tell how far they are from depending on others.

    In joint coordinates each is what it says beside the joints of the tree, not scaled to length one after that: one
    that no joint of the tree can move says nothing, however long it is.
    """
    model = pose.model
    if not model.set.joined or not model.rows:
        return pose.scaled_jacobian(t, y)
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import splu

    pose.place(t, y)
    S = _link_rows(pose, [row.row for row in model.rows])
    lengths = np.sqrt(np.asarray(S.multiply(S).sum(axis=1)).ravel())
    S = csr_array(S.multiply((1.0 / np.where(lengths > 0.0, lengths, 1.0))[:, None]))
    own, tree_rows = S[: len(model.rows)], S[len(model.rows) :]
    shared = (tree_rows @ own.T).toarray()
    squares = (own @ own.T).toarray() - shared.T @ splu((tree_rows @ tree_rows.T).tocsc()).solve(shared)
    sizes, ways = np.linalg.eigh(squares)
    return np.asarray(ways * np.sqrt(np.where(sizes > NOTHING * np.max(sizes), sizes, 0.0)))


def _factored(A: Any, kept: list[Any], redundant: int, names: bool) -> Independence:
    """Rows that are redundant wherever the machine stands are combinations of their own, nearer to nothing."""
    from scipy.sparse.linalg import splu

    factors = splu(A, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    weakest = float(np.sqrt(np.min(np.abs(factors.U.diagonal()))))
    if weakest > FAR:
        return Independence(weakest, ())
    n = A.shape[0]
    x = np.cos(np.outer(np.arange(1.0, n + 1), np.sqrt(np.arange(2.0, min(redundant + 1, n) + 2))))
    for _ in range(ROUNDS):
        x = np.linalg.qr(factors.solve(x))[0]
    squares, turn = np.linalg.eigh(x.T @ (A @ x))
    parts = np.abs(x @ turn[:, -1])
    least = float(np.sqrt(max(squares[-1] - LIFT, 0.0)) / np.max(parts))
    own = parts[: len(kept)]
    joints = dict.fromkeys(row.joint for row, part in zip(kept, own, strict=True) if part > SHARE * own.max())
    return Independence(least, tuple(joints))


def _entries(pose: Pose) -> tuple[Array, Array, Array]:
    """Row, body or link and values by column of every row of every slot of J."""
    block = pose.model.set.block
    slots = pose.workspace[f.SLOTS]
    rows = (slots[:, :1] * block + np.arange(block)).ravel()
    return rows, np.repeat(slots[:, 1], block), pose.slots.reshape(rows.size, -1)


def _body_rows(pose: Pose, kept: list[int]) -> Any:
    """J itself, in velocities of bodies."""
    from scipy.sparse import coo_array

    rows, bodies, values = _entries(pose)
    nv = values.shape[1]
    columns = bodies[:, None] * nv + np.arange(nv)
    J = coo_array(
        ((values * pose.scales()[columns]).ravel(), (np.repeat(rows, nv), columns.ravel())),
        shape=(pose.model.padded, pose.model.nv),
    )
    return J.tocsr()[kept]


def _link_rows(pose: Pose, kept: list[int]) -> Any:
    """Rows of cut joints in twists of links (spin, velocity of the origin); behind them how links follow each other."""
    from scipy.sparse import coo_array, vstack

    model = pose.model
    dim = model.blueprint.dim
    rot = 1 if dim == 2 else 3
    nd = dim + rot
    links = pose.workspace[tree.LINKS]
    n = len(links) - 1
    owner = np.concatenate([[0], model.tree.graph.order])  # body of each link
    spins = np.where(np.arange(nd) < rot, 1.0, 0.0)
    scale = np.where(spins, 1.0 / np.asarray(model.body_sizes)[owner][:, None], 1.0)  # of each twist
    width = nd * n + model.nv
    rows, at, values = _entries(pose)
    values = np.concatenate([values[:, dim:], values[:, :dim]], axis=1) * scale[at]
    columns = (at[:, None] - 1) * nd + np.arange(nd)
    places = np.repeat(rows, nd), columns.ravel()
    J = coo_array((values.ravel(), places), shape=(model.padded, width)).tocsr()[kept]
    return vstack([J, _following(pose, links, scale, dim, rot, width)])


def _following(pose: Pose, links: Array, scale: Array, dim: int, rot: int, width: int) -> Any:
    """Twist of each link, less what its parent's and its joint's velocities give it: nd rows a link."""
    from scipy.sparse import coo_array

    nd, n = dim + rot, len(links) - 1
    arm = (link_columns_planar if dim == 2 else link_columns_spatial).ARM
    own = np.arange(1, n + 1)
    led = own[links[1:, 0] > 0]
    parent = links[led, 0]
    jointed = np.repeat(own, links[1:, 4])  # the link that each joint velocity moves
    moves = pose.workspace[tree.ELIMINATED][:, :nd] * pose.scales()[:, None]
    levers = _levers(pose.workspace[tree.STATE][led, arm : arm + dim]) * scale[parent, None, :rot]
    parts = np.arange(nd)
    pieces = [
        (_at(own, parts, nd), _at(own, parts, nd), scale[own]),
        (_at(led, parts, nd), _at(parent, parts, nd), -scale[parent]),
        (
            np.repeat(_at(led, rot + np.arange(dim), nd)[:, :, None], rot, axis=2),
            np.repeat(_at(parent, np.arange(rot), nd)[:, None, :], dim, axis=1),
            -levers,
        ),
        (_at(jointed, parts, nd), np.repeat(nd * n + np.arange(len(moves))[:, None], nd, axis=1), -moves),
    ]
    rows, columns, values = (np.concatenate([np.ravel(piece[k]) for piece in pieces]) for k in range(3))
    return coo_array((values, (rows, columns)), shape=(nd * n, width))


def _at(links: Array, parts: Array, nd: int) -> Array:
    """Where parts of the twists of links stand."""
    found: Array = (links[:, None] - 1) * nd + parts
    return found


def _levers(r: Array) -> Array:
    """w at the parent gives w x r here: (link, direction, axis)."""
    zero = np.zeros(len(r))
    if r.shape[1] == 2:
        return np.stack([-r[:, 1], r[:, 0]], axis=1)[:, :, None]
    x, y, z = r.T
    rows = [zero, z, -y], [-z, zero, x], [y, -x, zero]
    return np.stack([np.stack(row, axis=1) for row in rows], axis=1)
