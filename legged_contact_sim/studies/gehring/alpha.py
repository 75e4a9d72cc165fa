"""How many prox iterations a contact problem takes for each relaxation alpha (Gehring's figure 6)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...contact.models.moreau import Moreau
from ...contact.solvers.prox import prox_entry, prox_work
from ...errors import ParameterError


def iterations_over_alpha(model: Moreau, alphas: Sequence[float] | ArrayLike) -> np.ndarray:
    """Solve the contact problem of the model's last step anew, from zero impulses, once for each alpha.

    The relaxation is not halved on the way, so that the alpha where the iteration stops converging shows. For curves
    over a whole run, or in other coordinates, run a simulator for each alpha with ``patience=10**9`` and average the
    iterations of its trajectory.

    Args:
        model: in minimal coordinates, after a step in which contacts acted.
        alphas: relaxations to try, each in ]0, 2].

    Returns:
        Iterations for each alpha, (len(alphas),); NaN where ``max_iterations`` were not enough.

    Raises:
        ParameterError: the model is in other coordinates, or no contact acted in its last step.
    """
    G, b = model.contact_problem()
    if model.coordinates != "minimal":
        raise ParameterError(f"coordinates: expected minimal, found {model.coordinates}")
    if len(b) == 0:
        raise ParameterError("model: expected a step in which contacts acted, found none")
    settings, rows, contacts = model.settings.copy(), len(b), len(b) // 3
    settings["patience"], settings["finish"] = np.iinfo(np.int64).max, 0
    found = np.full(len(np.atleast_1d(alphas)), np.nan)
    for k, alpha in enumerate(np.atleast_1d(alphas)):
        if not 0.0 < alpha <= 2.0:
            raise ParameterError(f"alphas: expected numbers in ]0, 2], found {alpha}")
        settings["relaxation"] = alpha
        impulses, velocities, modes = np.zeros(len(b)), np.zeros(len(b)), np.zeros(contacts, dtype=np.int64)
        work = prox_work(len(b))
        iterations = prox_entry(G, b, impulses, velocities, contacts, rows, modes, work, settings)
        if iterations <= settings["max_iterations"][0]:
            found[k] = iterations
    return found
