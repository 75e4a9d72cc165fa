"""The pages: every link between files leads somewhere; the site has them all, and their equations."""

import importlib.util
import re
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / "docs", ROOT / "legged_contact_sim"]
PAGES = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in folder.rglob("*.md"))]
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    links = LINK.findall(page.read_text())
    assert not [link for link in links if not (page.parent / link).exists()]


def test_every_page_has_its_place_in_the_site():
    placed = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    made = {page for page in placed if page.startswith("reference/")}  # from the sources
    assert set(placed) - made == {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert len(placed) == len(set(placed))


def hooks_of_the_site():
    spec = importlib.util.spec_from_file_location("site_hooks", ROOT / "docs/site_hooks.py")
    hooks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hooks)
    return hooks


def test_the_site_has_no_links_to_what_is_not_part_of_it():
    hooks, docs = hooks_of_the_site(), ROOT / "docs"
    left = [
        (page.name, link)
        for page in docs.rglob("*.md")
        for link in LINK.findall(hooks.OUTSIDE.sub("", page.read_text()))
        if not (page.parent / link).resolve().is_relative_to(docs)
    ]
    assert not left


def test_equations_become_what_a_browser_draws_and_code_stays(monkeypatch):
    converter = types.ModuleType("latex2mathml.converter")
    converter.convert = lambda latex, display: f"<math {display}>{latex}</math>"
    monkeypatch.setitem(sys.modules, "latex2mathml", types.ModuleType("latex2mathml"))
    monkeypatch.setitem(sys.modules, "latex2mathml.converter", converter)
    hooks = hooks_of_the_site()
    page = types.SimpleNamespace(title="", file=types.SimpleNamespace(src_path="page.md"))
    text = "a $x_1 * |y|$ b `$HOME`\n\n$$ \\sum_i\ni $$\n\n```\necho $A $B\n```\n[us](../test/a.py) $z$\n"
    left = hooks.on_page_markdown(text, page)
    assert "|" not in left
    shown = hooks.on_page_content(left)
    assert shown == (
        "a <math inline>x_1 * |y|</math> b `$HOME`\n\n<math block> \\sum_i\ni </math>\n\n"
        "```\necho $A $B\n```\nus <math inline>z</math>\n"
    )
