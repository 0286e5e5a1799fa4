"""Prints each link of a site's pages that leads nowhere in it; exit code 1 where there is one.

python3 docs/site/check_links.py FOLDER"""

from __future__ import annotations

import html.parser
import pathlib
import sys
import urllib.parse
from collections.abc import Iterator


class Page(html.parser.HTMLParser):
    """What a page links to, and the names that links to it may have behind #."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.names = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = {key: value for key, value in attributes if value is not None}
        self.links += [values[key] for key in ("href", "src") if key in values]
        self.names |= {values[key] for key in ("id", "name") if key in values}


def broken_links(folder: pathlib.Path) -> Iterator[str]:
    pages = {file: Page(file.read_text()) for file in sorted(folder.rglob("*.html"))}
    for file, page in pages.items():
        for link in page.links:
            target = urllib.parse.urlsplit(link)
            if target.scheme or target.netloc:
                continue
            there = file
            if target.path:
                there = (file.parent / urllib.parse.unquote(target.path)).resolve()
            name = urllib.parse.unquote(target.fragment)
            if not there.exists() or (there in pages and name not in pages[there].names):
                yield f"{file.relative_to(folder)}: {link} leads nowhere"


if __name__ == "__main__":
    found = list(broken_links(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)
