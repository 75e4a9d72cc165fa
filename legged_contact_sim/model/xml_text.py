"""From text to XML elements, with the mistakes that no URDF parser explains caught first."""

import re
from xml.etree import ElementTree

from ..errors import ModelError

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_XACRO = re.compile(r"<xacro:[\w.-]*|\$\{[^}]*\}?|\$\((?:find|arg|eval|env|optenv|dirname|anon)\b")


class _Builder(ElementTree.TreeBuilder):
    """Builds the tree of a document without a DTD: entities can expand to any size, and a URDF has no use for them."""

    def doctype(self, *_: str | None) -> None:
        raise ModelError("declares a DTD (<!DOCTYPE ...>), which is refused; expected a plain URDF")


def parse_robot(text: str) -> ElementTree.Element:
    """Return the `<robot>` element of a URDF.

    Raises:
        ModelError: the text is empty, not XML, not a URDF, a xacro file, or declares a DTD.
    """
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise ModelError("is empty; expected a URDF")
    if re.search("[\0\ud800-\udfff]", text):
        raise ModelError("is not text; expected a URDF in UTF-8")
    xacro = _XACRO.search(_COMMENT.sub("", text))
    if xacro:
        raise ModelError(
            f"is a xacro file ({xacro.group()!r} in it); run `xacro <file> > robot.urdf` and load the result"
        )
    try:
        root = ElementTree.fromstring(_DECLARATION.sub("", text), ElementTree.XMLParser(target=_Builder()))
    except ElementTree.ParseError as error:
        raise ModelError(f"is not well-formed XML: {error}") from None
    if root.tag != "robot":
        raise ModelError(f"has the root element <{root.tag}>; expected <robot>, the root of a URDF")
    return root
