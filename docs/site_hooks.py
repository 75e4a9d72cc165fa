"""What the site does beyond mkdocs: links into the sources become their names, and llms.txt lists the pages."""

import re
from pathlib import Path
from typing import Any

OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+(?:examples|legged_contact_sim|benchmarks|config|test)/[^)]*\)")
PAGES: dict[str, str] = {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Return a page's text without links to files that are not part of the site."""
    PAGES[page.file.src_path] = page.title
    return OUTSIDE.sub(r"\1", markdown)


def on_post_build(config: Any, **_: Any) -> None:
    """Write llms.txt, and every page as the Markdown that it was made from."""
    site, source = Path(config["site_dir"]), Path(config["docs_dir"])
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for path, title in sorted(PAGES.items()):
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text((source / path).read_text())
        lines.append(f"- [{title}]({path})")
    (site / "llms.txt").write_text("\n".join(lines) + "\n")
