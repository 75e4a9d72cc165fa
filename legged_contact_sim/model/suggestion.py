"""What to say when a name is not known."""

from collections.abc import Iterable
from difflib import get_close_matches


def suggestion(name: object, known: Iterable[str]) -> str:
    """Return the known names nearest to a mistyped one, or the first few of all."""
    names = list(known)
    near = get_close_matches(str(name), names, n=5)
    if near:
        return f"near matches: {', '.join(near)}"
    return f"known: {', '.join(names[:20]) or 'none'}{', ...' if len(names) > 20 else ''}"
