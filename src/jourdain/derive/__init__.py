"""Derive: the equations of a joint or a mechanism, to read, to check, to take away.

Formulas are never expanded: an equation is a sum of scalar products, its derivatives are sums of scalar products, and
in coordinates they are formulas over shared parts, each printed once. Every derivation is compared with the kernels.
"""
