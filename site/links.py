"""Whether every link of a built site leads somewhere, and no page asks a network for anything.

    python site/links.py FOLDER

A link is to a file of the folder, and to an anchor that is there; links elsewhere are only those
that a person follows. MkDocs looks at its own Markdown alone: this looks at notebooks, docstrings and
rustdoc as well.
"""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: What a browser fetches by itself.
FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href", "use": "href"}
#: Links that say something about a page and fetch nothing.
SAID = {"canonical", "prev", "next", "author", "license"}


class Page(HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: Counter[str] = Counter()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if given.get("id"):
            self.anchors[given["id"]] += 1
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in FETCHED and FETCHED[tag] in given and given.get("rel") not in SAID:
            self.fetched.append(given[FETCHED[tag]])


@functools.cache
def read(path: Path) -> Page:
    return Page(path)


def faults(root: Path, path: Path) -> Iterator[str]:
    """What is wrong with a page, a line for each fault."""
    page = read(path)
    name = path.relative_to(root)
    if "rust" not in name.parts:
        yield from (f"{name}: the anchor {anchor} is there twice" for anchor, n in page.anchors.items() if n > 1)
    for link in page.fetched:
        if urlsplit(link).netloc:
            yield f"{name}: asks a network for {link}"
    for link in dict.fromkeys(page.links + page.fetched):
        fault = broken(root, path, link)
        if fault:
            yield f"{name}: {link}: {fault}"


def broken(root: Path, path: Path, link: str) -> str:
    """Why a link leads nowhere; nothing if it leads somewhere, or out of the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return ""
    base = root if parts.path.startswith("/") else path.parent  # the page of errors has absolute links
    target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(root):
        return "is outside of the site"
    # Rustdoc copies the documentation of blanket implementations of `tracing`, with a link to a page of its crate.
    if "rust" in path.relative_to(root).parts and parts.path == "dispatcher":
        return ""
    # Rustdoc asks for a list of what implements a trait elsewhere, and writes none where nothing does.
    if not target.is_file() and "trait.impl" not in target.parts:
        return "there is no such file"
    anchor = unquote(parts.fragment)
    # Lines of sources, and what scripts make of an anchor.
    if not anchor or not target.is_file() or target.suffix != ".html" or "rust" in target.relative_to(root).parts or anchor.startswith(("__", "card=", "template=")):
        return ""
    return "" if anchor in read(target).anchors else "there is no such anchor"


def main(folder: str) -> int:
    root = Path(folder).resolve()
    pages = sorted(root.rglob("*.html"))
    found = [fault for path in pages for fault in faults(root, path)]
    print("\n".join(found) or f"{len(pages)} pages: every link leads somewhere, and nothing asks a network", file=sys.stderr if found else sys.stdout)
    return bool(found) or not pages


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
