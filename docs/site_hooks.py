"""What the site does beyond mkdocs: pages from the sources, links out of docs/ as names, and llms.txt."""

import importlib.util
import re
from pathlib import Path
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:examples|legged_contact_sim|benchmarks|config|test)/[^)]*\)")
PAGES: dict[str, tuple[str, str]] = {}


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages that are made from the sources."""
    from mkdocs.structure.files import File

    for path, text in _reference().pages().items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page's text without links to files that are not part of the site."""
    PAGES[page.file.src_path] = page.title, markdown
    return OUTSIDE.sub(r"\1", markdown)


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
