"""Fields of records as the tuples of `spatial`, and back: what kernels read once, work with, and write once."""

from ..jit import inlined
from .spatial import Inertia, Spatial, add


@inlined
def vector(a):
    """Read a vector from three numbers of an array."""
    return (a[0], a[1], a[2])


@inlined
def vector_at(a, k):
    """Read a vector from the three numbers of an array that begin at ``k``."""
    return (a[k], a[k + 1], a[k + 2])


@inlined
def symmetric(a):
    """Read a symmetric matrix from six numbers of an array."""
    return (a[0], a[1], a[2], a[3], a[4], a[5])


@inlined
def matrix(a):
    """Read a matrix from nine numbers of an array."""
    return (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])


@inlined
def spatial(a):
    """Read a spatial vector from six numbers of an array, angular first."""
    return Spatial((a[0], a[1], a[2]), (a[3], a[4], a[5]))


@inlined
def inertia(a):
    """Read an inertia from twenty-one numbers of an array."""
    return Inertia(
        (a[0], a[1], a[2], a[3], a[4], a[5]),
        (a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14]),
        (a[15], a[16], a[17], a[18], a[19], a[20]),
    )


@inlined
def put_vector(a, x):
    """Store a vector in an array."""
    a[0], a[1], a[2] = x


@inlined
def put_vector_at(a, k, x):
    """Store a vector in the three numbers of an array that begin at ``k``."""
    a[k], a[k + 1], a[k + 2] = x


@inlined
def put_matrix(a, x):
    """Store a matrix in an array."""
    a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8] = x


@inlined
def put_spatial(a, x):
    """Store a spatial vector in an array, angular first."""
    a[0], a[1], a[2] = x.angular
    a[3], a[4], a[5] = x.linear


@inlined
def put_inertia(a, x):
    """Store an inertia in an array."""
    a[0], a[1], a[2], a[3], a[4], a[5] = x.rotational
    a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14] = x.coupling
    a[15], a[16], a[17], a[18], a[19], a[20] = x.linear


@inlined
def increase_spatial(a, x):
    """Add a spatial vector to the one in an array."""
    put_spatial(a, add(spatial(a), x))


@inlined
def increase_inertia(a, x):
    """Add an inertia to the one in an array."""
    A, B, M = x
    a[0] += A[0]
    a[1] += A[1]
    a[2] += A[2]
    a[3] += A[3]
    a[4] += A[4]
    a[5] += A[5]
    a[6] += B[0]
    a[7] += B[1]
    a[8] += B[2]
    a[9] += B[3]
    a[10] += B[4]
    a[11] += B[5]
    a[12] += B[6]
    a[13] += B[7]
    a[14] += B[8]
    a[15] += M[0]
    a[16] += M[1]
    a[17] += M[2]
    a[18] += M[3]
    a[19] += M[4]
    a[20] += M[5]
