"""Lemke's complementary pivoting for linear complementarity problems.

Lemke (Ayit 4.3.1; Cottle, Pang, Stone, *The Linear Complementarity Problem*, Algorithm 4.4.5 with the lexicographic
rule of section 4.9) covers q by an artificial variable, w = q + M z + d z0 with d > 0, and follows the path of
almost complementary solutions until z0 leaves. The dictionary ``basic = rhs + T nonbasic`` is kept condensed,
(n, n + 2) numbers, and moves by Jordan exchanges. It ends at a solution whenever M is copositive-plus and the
problem feasible, and for the friction pyramids of Stewart and Trinkle; otherwise it may end on a ray.
"""

import math

from ...jit import compiled, inlined
from .scaling import find_scales, is_number, largest_scaled, power_of_two, residual_kernel

# How Lemke's path ended, best first.
SOLVED, RAY, ITERATION_LIMIT = 0, 1, 2

# Relative to the largest entry of its column (or 1), a pivot below this is the rounding left by a singular M.
SMALLEST_PIVOT = 1e-11
# Two rows that reach zero this close together, in units of the largest q', reach it together. The narrow one keeps
# small numbers apart from zero; where it takes rounding for a number and loses the path, the wide one does not.
NARROW_TIE, WIDE_TIE = 1e-15, 1e-12
# Residual that needs no second path.
CLEAN = 1e-12


@inlined
def set_up(M, q, tableau, basis):
    """Write the first dictionary w' = q' + M' z' + 1 z0 with max abs(q') about 1; return the unit of q'."""
    n = q.shape[0]
    scale = tableau[n]
    find_scales(M, scale)
    unit = power_of_two(largest_scaled(q, scale))
    for i in range(n):
        for j in range(n):
            tableau[i, j] = scale[i] * M[i, j] * scale[j]
        tableau[i, n] = 1.0
        tableau[i, n + 1] = scale[i] * q[i] / unit
    for label in range(2 * n + 1):
        basis[label] = label
    return unit


@inlined
def holds_numbers(tableau, n):
    """Return whether the first dictionary is free of NaN and infinity: either would show in the sum."""
    total = 0.0
    for i in range(n):
        for j in range(n + 2):
            total += abs(tableau[i, j])
    return is_number(total)


@inlined
def exchange(tableau, basis, n, row, column):
    """Jordan exchange: the basic variable of the row and the nonbasic one of the column change places."""
    inverse = 1.0 / tableau[row, column]
    pivot_row = tableau[row]
    for j in range(n + 2):
        pivot_row[j] *= -inverse
    pivot_row[column] = inverse
    for i in range(n):
        if i != row:
            other = tableau[i]
            factor = other[column]
            if factor != 0.0:
                other[column] = 0.0
                for j in range(n + 2):
                    other[j] += factor * pivot_row[j]
    leaving = basis[row]
    basis[row] = basis[n + column]
    basis[n + column] = leaving


@inlined
def first_row(tableau, n, tie):
    """Return the row that z0 replaces first, the lexicographically least of (q'_i, e_i); -1 if q >= 0."""
    least = 0.0
    for i in range(n):
        least = min(least, tableau[i, n + 1])
    row = -1
    for i in range(n):
        # Of equal values the last: e_i is the smaller the later its one comes.
        if tableau[i, n + 1] < 0.0 and tableau[i, n + 1] <= least + tie:
            row = i
    return row


@inlined
def position(basis, n, label):
    """Return where a variable stands: its row if basic, n + its column if not."""
    for k in range(2 * n + 1):
        if basis[k] == label:
            return k
    return -1


@inlined
def perturbation(tableau, n, row, place):
    """Return row's entry of the basis inverse for the variable w_i that stands at ``place``."""
    if place >= n:
        return -tableau[row, place - n]
    return 1.0 if place == row else 0.0


@inlined
def lexicographically_less(tableau, basis, n, a, b, column):
    """Compare rows a and b that tie in the ratio test by the rest of (rhs, basis inverse) / pivot.

    This is the ratio test for q + (e, e^2, ..., e^n) with an infinitesimal e, which no two rows pass together:
    no basis comes back, so the path cannot cycle.
    """
    pivot_a, pivot_b = -tableau[a, column], -tableau[b, column]
    for i in range(n):
        place = position(basis, n, i)
        entry_a, entry_b = perturbation(tableau, n, a, place), perturbation(tableau, n, b, place)
        difference = entry_a * pivot_b - entry_b * pivot_a
        rounding = SMALLEST_PIVOT * ((1.0 + abs(entry_a)) * pivot_b + (1.0 + abs(entry_b)) * pivot_a)
        if abs(difference) > rounding:
            return difference < 0.0
    return False


@inlined
def leaving_row(tableau, basis, n, column, tie):
    """Return the row that reaches zero first as the column's variable grows, z0's if it ties; -1 on a ray."""
    largest = 1.0
    for i in range(n):
        largest = max(largest, abs(tableau[i, column]))
    blocking = -SMALLEST_PIVOT * largest
    reach = math.inf
    for i in range(n):
        if tableau[i, column] < blocking:
            reach = min(reach, max(tableau[i, n + 1], 0.0) / -tableau[i, column])
    row = -1
    for i in range(n):
        if tableau[i, column] < blocking:
            value = tableau[i, n + 1]
            if value + tableau[i, column] * reach <= tie * (1.0 + value):
                if basis[i] == 2 * n:
                    return i
                if row < 0 or lexicographically_less(tableau, basis, n, i, row, column):
                    row = i
    return row


@inlined
def read_solution(tableau, basis, n, unit, z):
    """Write the values that the dictionary gives to z, in the caller's units."""
    for i in range(n):
        z[i] = 0.0
    for row in range(n):
        i = basis[row] - n
        if 0 <= i < n:
            z[i] = max(tableau[row, n + 1], 0.0) * tableau[n, i] * unit


@inlined
def follow_path(M, q, tableau, basis, z, tie, max_iterations):
    """Follow Lemke's path from z0 = infinity to its end; return (status, iterations)."""
    n = q.shape[0]
    unit = set_up(M, q, tableau, basis)
    read_solution(tableau, basis, n, unit, z)
    if not holds_numbers(tableau, n):
        return RAY, 0
    row = first_row(tableau, n, tie)
    if row < 0:
        return SOLVED, 0
    column = n  # z0
    least = math.inf
    for iteration in range(1, max_iterations + 1):
        leaving = basis[row]
        exchange(tableau, basis, n, row, column)
        if leaving == 2 * n:
            read_solution(tableau, basis, n, unit, z)
            return SOLVED, iteration
        artificial = tableau[position(basis, n, 2 * n), n + 1]
        if artificial < least:
            least = artificial
            read_solution(tableau, basis, n, unit, z)
        complement = leaving + n if leaving < n else leaving - n
        column = position(basis, n, complement) - n
        row = leaving_row(tableau, basis, n, column, tie)
        if row < 0:
            return (SOLVED if least <= 10.0 * tie else RAY), iteration
    return ITERATION_LIMIT, max_iterations


@inlined
def lemke_kernel(M, q, tableau, basis, z, max_iterations=10_000):
    """Solve the LCP by complementary pivoting; return (status, iterations). Nothing is allocated.

    If rounding has spoilt the path, a second one that takes more for a tie is tried, and the better of the two kept.

    Args:
        M: matrix (n, n).
        q: vector (n,).
        tableau: work, at least (n + 2, n + 2); its row n holds the scales afterwards (see `residual_kernel`).
        basis: work, integers, at least (2 n + 1,).
        z: result (n,); on a ray or at the limit, the point of the path with the least z0.
        max_iterations: most exchanges.

    Returns:
        SOLVED, RAY or ITERATION_LIMIT, and the number of exchanges; RAY and none if M or q is not finite.
    """
    n = q.shape[0]
    scale, kept, w = tableau[n], tableau[n + 1], tableau[0]  # once the path has ended its rows are free
    status, first = follow_path(M, q, tableau, basis, z, NARROW_TIE, min(max_iterations, 50 + 10 * n))
    residual = residual_kernel(M, q, z, w, scale)
    if (status == SOLVED and residual <= CLEAN) or first == 0 or first >= max_iterations:
        return status, first
    for i in range(n):
        kept[i] = z[i]
    other, second = follow_path(M, q, tableau, basis, z, WIDE_TIE, max_iterations - first)
    if other < status or (other == status and residual_kernel(M, q, z, w, scale) <= residual):
        return other, first + second
    for i in range(n):
        z[i] = kept[i]
    return status, first + second


@compiled
def lemke_entry(M, q, tableau, basis, z, w, max_iterations):
    """Run `lemke_kernel`, fill w and return (status, iterations, residual)."""
    status, iterations = lemke_kernel(M, q, tableau, basis, z, max_iterations)
    return status, iterations, residual_kernel(M, q, z, w, tableau[q.shape[0]])
