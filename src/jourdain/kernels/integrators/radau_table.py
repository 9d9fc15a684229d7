"""Coefficients of Radau IIA with s stages, of order 2 s - 1, as one array: what radau.py reads.

Collocation at the zeros of P_s(2 x - 1) - P_{s-1}(2 x - 1), the last of which is 1 (Hairer and Wanner II, sec. IV.5).
T diagonalises the inverse of A into one real eigenvalue and pairs [[re, -im], [im, re]] (sec. IV.8). The error estimate
compares with a formula of order s on the same slopes and the one at the start, whose weight is the inverse of the real
eigenvalue, so that the real factors filter it; E is for the stages less y, over h.
"""

import numpy as np
from numpy.polynomial import legendre, polynomial

# Rows of the table: nodes; E; eigenvalues (real, then re and im of each pair); then s rows each of what follows.
NODES, ESTIMATE, EIGENVALUES, FIRST = range(4)
A, T, T_INVERSE, P = range(4)  # in FIRST + s times this; P: from stages to coefficients of the collocation polynomial


def table(s):
    """The table of s stages, s odd."""
    nodes = _nodes(s)
    weights = _integrals(nodes)
    inverse = np.linalg.inv(weights)
    values, vectors = np.linalg.eig(inverse)
    real = int(np.argmin(np.abs(values.imag)))
    pairs = [k for k in range(s) if k != real and values[k].imag > 0]
    columns = [vectors[:, real].real]
    eigenvalues = [values[real].real]
    for k in pairs:
        columns += [vectors[:, k].real, -vectors[:, k].imag]
        eigenvalues += [values[k].real, values[k].imag]
    turned = np.array(columns).T
    powers = nodes[None, :] ** np.arange(s)[:, None]
    moments = 1.0 / np.arange(1, s + 1)
    moments[0] -= 1.0 / eigenvalues[0]
    estimate = eigenvalues[0] * (np.linalg.solve(powers, moments) - weights[-1]) @ inverse
    return np.ascontiguousarray(
        np.vstack([nodes, estimate, eigenvalues, weights, turned, np.linalg.inv(turned), _coefficients(nodes)])
    )


def _nodes(s):
    series = np.zeros(s + 1)
    series[s], series[s - 1] = 1.0, -1.0
    x = np.sort(legendre.legroots(series).real)
    slope = legendre.legder(series)
    for _ in range(3):
        x = x - legendre.legval(x, series) / legendre.legval(x, slope)
    x[-1] = 1.0
    return 0.5 * (x + 1.0)


def _integrals(nodes):
    """A_ij: the integral of the j-th Lagrange polynomial from 0 to c_i, by Gauss's formula, which is exact for it."""
    x, w = legendre.leggauss(nodes.size)
    points = 0.5 * nodes[:, None] * (x + 1.0)
    rows = np.empty((nodes.size, nodes.size))
    for j in range(nodes.size):
        others = np.delete(nodes, j)
        values = np.prod((points[..., None] - others) / (nodes[j] - others), axis=-1)
        rows[:, j] = 0.5 * nodes * (values @ w)
    return rows


def _coefficients(nodes):
    """P_sk: coefficient of x^(k+1) in the polynomial that is 0 at 0, 1 at node s and 0 at the others."""
    rows = []
    for j in range(nodes.size):
        others = np.delete(nodes, j)
        scale = nodes[j] * np.prod(nodes[j] - others)
        rows.append(polynomial.polyfromroots(others) / scale)
    return np.array(rows)
