"""Queries of simulation_interfaces: by name, category and place; what is not offered is refused as such."""

from types import SimpleNamespace as Message

import numpy as np
import pytest

from legged_contact_sim.errors import ParameterError
from legged_contact_sim.nodes.entity_filters import UnsupportedError, matches

EMPTY, BOX, HULL, SPHERE = range(4)
ROBOT, HUMAN = 1, 2
CORNERS = np.array([[-0.5, -0.3, 0.0], [0.5, 0.3, 0.6]])


def bounds(kind=EMPTY, *points):
    places = [Message(x=x, y=y, z=z) for x, y, z in points]
    return Message(type=kind, points=places, TYPE_EMPTY=EMPTY, TYPE_BOX=BOX, TYPE_SPHERE=SPHERE)


def meant(name="", categories=(), tags=(), within=None):
    wanted = [Message(category=category) for category in categories]
    filters = Message(filter=name, categories=wanted, tags=Message(tags=list(tags)), bounds=within or bounds())
    return matches(filters, "quadruped16", ROBOT, CORNERS)


@pytest.mark.parametrize(
    ("name", "found"),
    [("", True), ("quad", True), ("^16", False), ("^[[:alpha:]]+[[:digit:]]{2}$", True), ("biped|quadruped", True)],
)
def test_names_are_matched_by_posix_extended_expressions(name, found):
    assert meant(name) == found


def test_any_of_the_categories_will_do_but_all_filters_have_to_agree():
    assert meant(categories=[HUMAN, ROBOT])
    assert not meant(categories=[HUMAN])
    assert not meant("biped", categories=[ROBOT])


@pytest.mark.parametrize(
    ("within", "found"),
    [
        (bounds(SPHERE, (0.0, 0.0, 1.0), (0.41, 0.0, 0.0)), True),
        (bounds(SPHERE, (0.0, 0.0, 1.0), (0.39, 0.0, 0.0)), False),
        (bounds(SPHERE, (0.8, 0.7, 0.3), (0.51, 0.0, 0.0)), True),
        (bounds(SPHERE, (0.8, 0.7, 0.3), (0.49, 0.0, 0.0)), False),
        (bounds(BOX, (2.0, 2.0, 2.0), (0.4, 0.2, 0.5)), True),
        (bounds(BOX, (0.4, 0.2, 0.5), (2.0, 2.0, 2.0)), True),
        (bounds(BOX, (2.0, 2.0, 2.0), (0.6, 0.2, 0.5)), False),
    ],
)
def test_bounds_find_what_overlaps_them(within, found):
    assert meant(within=within) == found


def test_what_is_not_offered_and_what_cannot_be_meant():
    for refused in ({"tags": ["tall"]}, {"within": bounds(HULL, (0, 0, 0), (1, 0, 0), (0, 1, 0))}):
        with pytest.raises(UnsupportedError):
            meant(**refused)
    for wrong in (
        {"name": "("},
        {"within": bounds(BOX, (0, 0, 0))},
        {"within": bounds(SPHERE, (0, 0, 0), (np.nan, 0, 0))},
    ):
        with pytest.raises(ParameterError):
            meant(**wrong)
