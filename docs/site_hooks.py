"""What the site does beyond mkdocs: pages from the sources, equations, links out of docs/ as names, and llms.txt.

Equations become MathML, which browsers draw by themselves: no script and no font has to be loaded for them.
"""

import importlib.util
import re
from pathlib import Path
from typing import Any

FOLDERS = "examples|legged_contact_sim|benchmarks|config|interfaces|launch|ros2_control|test|urdf"
OUTSIDE = re.compile(rf"\[([^\]]+)\]\((?:\.\./)+(?:{FOLDERS})/[^)]*\)")
HEADING = re.compile(r"^# (.+)$", re.M)
CODE = re.compile(r"(^```.*?^```[ \t]*$|`[^`\n]+`)", re.M | re.S)
EQUATION = re.compile(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", re.S)
PLACE = re.compile(r"EQUATION(\d+)PLACE")
EQUATIONS: list[str] = []  # MathML, by the number of the place that was left for it
PAGES: dict[str, tuple[str, str]] = {}


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages that are made from the sources."""
    from mkdocs.structure.files import File

    for path, text in _reference().pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page's text with places for equations, and without links to files that are not part of the site."""
    heading = HEADING.search(markdown)
    PAGES[page.file.src_path] = heading[1].replace("`", "") if heading else page.title, markdown
    parts = CODE.split(OUTSIDE.sub(r"\1", markdown))
    parts[::2] = [EQUATION.sub(_leave_place, part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(html: str, **_: Any) -> str:
    """Return a page with its equations, which Markdown could have taken for emphasis or for columns of a table."""
    return PLACE.sub(lambda place: EQUATIONS[int(place[1])], html)


def _leave_place(found: re.Match[str]) -> str:
    from latex2mathml.converter import convert

    EQUATIONS.append(convert(found[1] or found[2], display="block" if found[1] else "inline"))
    return f"EQUATION{len(EQUATIONS) - 1}PLACE"


def on_post_build(config: Any, **_: Any) -> None:
    """Write llms.txt, and every page as the Markdown that it was made from."""
    site = Path(config["site_dir"])
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for path, (title, text) in sorted(PAGES.items()):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
        lines.append(f"- [{title}]({path})")
    (site / "llms.txt").write_text("\n".join(lines) + "\n")


def _reference() -> Any:
    """Return the module beside this one, which mkdocs does not put on the path."""
    spec = importlib.util.spec_from_file_location("site_reference", Path(__file__).with_name("site_reference.py"))
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module
