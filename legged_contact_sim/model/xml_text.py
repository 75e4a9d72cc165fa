"""From text to XML elements, with the mistakes that no URDF parser explains caught first."""

import re
from xml.etree import ElementTree

from ..errors import ModelError

LFS_POINTER = "version https://git-lfs"
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_ROOT = re.compile(r"<([A-Za-z_][\w.:-]*)")
_XACRO = re.compile(r"<xacro:[\w.-]*|\$\{[^}]*\}?|\$\((?:find|arg|eval|env|optenv|dirname|anon)\b")


class _Builder(ElementTree.TreeBuilder):
    """Builds the tree of a document without a DTD: entities can expand to any size, and a URDF has no use for them."""

    def doctype(self, *_: str | None) -> None:
        raise ModelError("declares a DTD (<!DOCTYPE ...>), which is refused; expected a plain URDF")


def parse_document(text: str, expected: str) -> ElementTree.Element:
    """Return the root element of an XML text.

    Args:
        text: the XML.
        expected: what it should be, with its article, for the errors.

    Raises:
        ModelError: the text is empty, not XML, or declares a DTD.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ModelError(f"is empty; expected {expected}")
    if re.search("[\0\ud800-\udfff]", text):
        raise ModelError(f"is not text; expected {expected} in UTF-8")
    if text.startswith(LFS_POINTER):
        raise ModelError(f"is a pointer of Git LFS, not {expected} (git lfs pull brings it)")
    try:
        return ElementTree.fromstring(_DECLARATION.sub("", text), ElementTree.XMLParser(target=_Builder()))
    except ElementTree.ParseError as error:
        raise ModelError(f"is not well-formed XML: {error}") from None


def root_tag(text: str) -> str:
    """Return the name of the root element of an XML text, "" if there is none; without parsing the rest."""
    found = _ROOT.search(_COMMENT.sub("", text))
    return found.group(1) if found else ""


def is_xacro(text: str) -> str | None:
    """Return the first piece of a text that only xacro understands; None if there is none."""
    found = _XACRO.search(_COMMENT.sub("", text))
    return found.group() if found else None


def parse_robot(text: str) -> ElementTree.Element:
    """Return the `<robot>` element of a URDF.

    Raises:
        ModelError: the text is empty, not XML, not a URDF, a xacro file, or declares a DTD.
    """
    xacro = is_xacro(text)
    if xacro:
        raise ModelError(
            f"is a xacro file ({xacro!r} in it); give its path, which is expanded, or run `xacro <file> > robot.urdf`"
        )
    root = parse_document(text, "a URDF")
    if root.tag != "robot":
        raise ModelError(f"has the root element <{root.tag}>; expected <robot>, the root of a URDF")
    return root
