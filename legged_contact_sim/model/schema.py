"""What the simulator reads of a URDF: each element, its attributes and how many numbers each one holds.

`urdf_parser_py` reports a bad number without saying whose it is and prints a line for every tag it does not know, so
the XML is held against this table first and handed over without the rest (visuals, materials, plugins).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree

from ..errors import ModelError


@dataclass(frozen=True)
class Tag:
    """An element of a URDF.

    Attributes:
        numbers: how many numbers each numeric attribute holds.
        words: attributes that hold text.
        required: attributes that must be there.
        defaults: attributes that urdf_parser_py asks for and we do not, with the value that stands for "not given".
        children: elements inside; of each the first counts, unless listed in `repeated`.
        required_children: elements that must be there.
        repeated: elements that may stand any number of times.
        one_of: exactly one child must be there, whichever it is.
    """

    numbers: Mapping[str, int] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    defaults: Mapping[str, str] = field(default_factory=dict)
    children: Mapping[str, "Tag"] = field(default_factory=dict)
    required_children: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    one_of: bool = False


_ORIGIN = Tag(numbers={"xyz": 3, "rpy": 3})
_MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_INERTIAL = Tag(
    children={
        "origin": _ORIGIN,
        "mass": Tag(numbers={"value": 1}, required=("value",)),
        "inertia": Tag(numbers=dict.fromkeys(_MOMENTS, 1), required=_MOMENTS),
    },
    required_children=("mass", "inertia"),
)
_ROUND = Tag(numbers={"radius": 1, "length": 1}, required=("radius", "length"))
_GEOMETRY = Tag(
    children={
        "box": Tag(numbers={"size": 3}, required=("size",)),
        "sphere": Tag(numbers={"radius": 1}, required=("radius",)),
        "cylinder": _ROUND,
        "capsule": _ROUND,
        "mesh": Tag(numbers={"scale": 3}, words=("filename",), required=("filename",)),
    },
    one_of=True,
)
_COLLISION = Tag(words=("name",), children={"origin": _ORIGIN, "geometry": _GEOMETRY}, required_children=("geometry",))
_LINK_REFERENCE = Tag(words=("link",), required=("link",))
_AXISLESS_JOINT = Tag(
    words=("name", "type"),
    required=("name", "type"),
    children={"origin": _ORIGIN, "parent": _LINK_REFERENCE, "child": _LINK_REFERENCE},
    required_children=("parent", "child"),
)
_JOINT = replace(
    _AXISLESS_JOINT,
    children={
        **_AXISLESS_JOINT.children,
        "axis": Tag(numbers={"xyz": 3}, required=("xyz",)),
        "limit": Tag(
            numbers={"lower": 1, "upper": 1, "effort": 1, "velocity": 1}, defaults={"effort": "0", "velocity": "0"}
        ),
        "dynamics": Tag(numbers={"damping": 1, "friction": 1}),
        "mimic": Tag(numbers={"multiplier": 1, "offset": 1}, words=("joint",), required=("joint",)),
    },
)
_LINK = Tag(
    words=("name",),
    required=("name",),
    children={"inertial": _INERTIAL, "collision": _COLLISION},
    repeated=("collision",),
)
_ROBOT = Tag(words=("name",), defaults={"name": "robot"}, children={"link": _LINK, "joint": _JOINT})


def checked(robot: ElementTree.Element) -> tuple[ElementTree.Element, list[str]]:
    """Return a copy of a `<robot>` element with only the links, joints and attributes of the table, all well formed.

    With it come notes on what was guessed.

    Raises:
        ModelError: an attribute or element is missing, or holds something else than finite numbers.
    """
    notes: list[str] = []
    copy = ElementTree.Element("robot", _attributes(robot, _ROBOT, "<robot>"))
    for element in robot:
        if element.tag in _ROBOT.children:
            where = f"{element.tag} {element.get('name', '')!r}"
            copy.append(_checked_element(element, _tag(element), where, notes))
    return copy, notes + _limit_notes(copy)


def _limit_notes(robot: ElementTree.Element) -> list[str]:
    """Return notes on limits that are guessed; a `<limit>` without a range gets an infinite one."""
    without_range, weak = [], []
    for joint in robot.iterfind("joint"):
        limit, kind, name = joint.find("limit"), joint.get("type"), joint.get("name", "")
        if kind in ("revolute", "prismatic") and (limit is None or not {"lower", "upper"} & set(limit.attrib)):
            without_range.append(name)
            if limit is not None:
                limit.attrib.update(lower="-inf", upper="inf")  # by the letter both are 0, and the joint could not move
        if kind != "planar" and limit is not None and float(limit.get("effort", "0")) <= 0.0:
            weak.append(name)
    notes = []
    if without_range:
        notes.append(f"no lower and upper limit: {listed(without_range)} can take any position")
    if weak:
        notes.append(f"an effort limit of 0 counts as none: {listed(weak)}")
    return notes


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return the first names, with how many there are."""
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])}, ... ({len(names)} in all)"


def _tag(element: ElementTree.Element) -> Tag:
    """Return what is read of a link or joint; editors leave axes and limits behind in joints that have no axis."""
    if element.tag == "joint" and element.get("type") in ("fixed", "floating"):
        return _AXISLESS_JOINT
    return _ROBOT.children[element.tag]


def _checked_element(element: ElementTree.Element, tag: Tag, where: str, notes: list[str]) -> ElementTree.Element:
    copy = ElementTree.Element(element.tag, _attributes(element, tag, where))
    # Tags of a namespace are other programs' own (Drake's hints on meshes).
    found = [child.tag for child in element if not child.tag.startswith("{")]
    _check_children(found, tag, where)
    for child in element:
        if child.tag not in tag.children:
            continue
        if child.tag not in tag.repeated and copy.find(child.tag) is not None:
            first = element.find(child.tag)
            note = f"{where} has <{child.tag}> {found.count(child.tag)} times: the first counts"
            if first is not None and _written(first) != _written(child) and note not in notes:
                notes.append(note)
            continue
        copy.append(_checked_element(child, tag.children[child.tag], f"{where}, <{child.tag}>", notes))
    return copy


def _written(element: ElementTree.Element) -> str:
    """Return an element as text that differs only where its content does; what stands behind it is not part of it."""
    alone = ElementTree.Element(element.tag, element.attrib)
    alone.extend(element)
    return ElementTree.canonicalize(ElementTree.tostring(alone, encoding="unicode"), strip_text=True)


def _attributes(element: ElementTree.Element, tag: Tag, where: str) -> dict[str, str]:
    for name in tag.required:
        if not element.get(name, "").strip():
            raise ModelError(f'{where} has no {name!r}; expected {name}="..."')
    for name, count in tag.numbers.items():
        if name in element.attrib:
            numbers(element.attrib[name], count, f"{where}, {name}")
    known = {name: element.attrib[name] for name in (*tag.words, *tag.numbers) if name in element.attrib}
    return {**tag.defaults, **known}


def _check_children(found: list[str], tag: Tag, where: str) -> None:
    if tag.one_of and (len(found) != 1 or found[0] not in tag.children):
        listed = " ".join(f"<{name}>" for name in found) or "nothing"
        expected = ", ".join(f"<{name}>" for name in tag.children)
        raise ModelError(f"{where} holds {listed}; expected one of {expected}")
    for name in tag.required_children:
        if name not in found:
            raise ModelError(f"{where} has no <{name}>")


def numbers(text: str, count: int, where: str) -> list[float]:
    """Return the `count` finite numbers that a text holds; `where` names it in the error."""
    try:
        values = [float(word) for word in text.replace("_", "?").split()]  # Python reads 1_0 as 10; a URDF must not
    except ValueError:
        values = []
    if len(values) != count or not all(math.isfinite(value) for value in values):
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        raise ModelError(f"{where} is {text!r}; expected {expected}")
    return values
