"""What the site has beside docs/: pages of the root, the API, the schema, and files that pages name.

AIRPATH_SCHEMA is the file of ``airpath schema``, AIRPATH_RUSTDOC the folder that ``cargo doc`` wrote, and
AIRPATH_EXAMPLES has reports of templates.
"""

from __future__ import annotations

import ast
import json
import logging
import os
import posixpath
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
import examples  # noqa: E402
import schema  # noqa: E402

log = logging.getLogger("mkdocs.hooks.airpath")

HERE = Path(__file__).parent
ROOT = HERE.parent
#: Pages of the root by their place in the site; the others keep their names.
PAGES = {"README.md": "index.md"} | {f"{n}.md": f"{n}.md" for n in ("ARCHITECTURE", "CHANGELOG", "CONTRIBUTING")}
#: A link or a picture of Markdown, and one of HTML.
MARKDOWN = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s#]+)")
HTML = re.compile(r'(?<=href=")(?!\w+:|#)([^"#]+\.(?:md|ipynb))')
#: Files that browsers show as they are.
SHOWN = {".txt", ".json", ".csv", ".svg"}


def on_config(config: Any) -> Any:
    """The pages of the schema and of the studies come into the navigation by themselves.

    A site with versions has a menu of them: mike names the version that it builds.
    """
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike"}
    config.extra["schema"] = schema.pages(json.loads(Path(os.environ["AIRPATH_SCHEMA"]).read_text()))
    for section in config.nav:
        if isinstance(section, dict) and "Studies" in section:
            section["Studies"] = studies()
        for entry in next(iter(section.values())) if isinstance(section, dict) else []:
            if isinstance(entry, dict) and entry.get("Every key") == "schema/":
                entry["Every key"] = [f"schema/{name}" for name in config.extra["schema"]]
    return config


def studies() -> list[str]:
    """The pages of the studies in ``studies/list.txt``; one with a network has a page for each part."""
    names = (ROOT / "studies" / "list.txt").read_text().split()
    pages = [f"studies/{name}{part}.md" for name in names for part in ("-network", "")]
    return [page for page in pages if (ROOT / "docs" / page).exists()]


def on_files(files: Files, config: Any) -> Files:
    def add(place: str, **content: Any) -> None:
        if files.get_file_from_path(place) is None:  # a folder may be named, and one inside it
            files.append(File.generated(config, place, **content))

    for source, place in PAGES.items():
        add(place, abs_src_path=str(ROOT / source))
    for top in (HERE / "pages", HERE / "assets"):
        base = HERE if top.name == "assets" else top
        for path in sorted(path for path in top.rglob("*") if path.is_file()):
            add(path.relative_to(base).as_posix(), abs_src_path=str(path))
    for name, text in config.extra["schema"].items():
        add(f"schema/{name}", content=text)
    rust = Path(os.environ["AIRPATH_RUSTDOC"])
    written = (path for path in rust.rglob("*") if path.is_file() and path.name != ".lock")
    for path in sorted(written):
        add(f"rust/{path.relative_to(rust).as_posix()}", abs_src_path=str(path))
    add("rust.md", content=crates(rust))
    # Rustdoc's pages lead to an index of all crates, which it doesn't write.
    add("rust/index.html", content='<!doctype html><meta http-equiv="refresh" content="0; url=../rust.html">')
    for path in sorted((Path(config.site_dir).parent / "playground").glob("*")):
        add(f"playground/{path.name}", abs_src_path=str(path))
    shown = Path(os.environ["AIRPATH_EXAMPLES"])
    templates = examples.summaries(shown)
    add("examples/index.md", content=examples.page(templates, files.get_file_from_path("playground/index.html") is not None))
    for name, summary in templates.items():
        add(f"examples/{name}.html", abs_src_path=str(shown / f"{name}.html"))
        add(f"examples/{name}.ipynb", content=examples.notebook(name, summary))
    for name in unsaid():
        log.warning("airpath.%s is on no page of site/pages/python", name)
    for path in sorted(outside(files)):
        sources(path, add)
    return files


def on_page_markdown(markdown: str, page: Any, files: Files, **_: Any) -> str:
    """Links lead to where the site has what they name. The playground has a link where it is built."""
    here = page.file.src_uri
    if here == "playground.md" and files.get_file_from_path("playground/index.html"):
        markdown = markdown.replace("\n\n", "\n\n[Open the playground](playground/index.html).\n\n", 1)

    def moved(link: re.Match[str]) -> str:
        target = named(here, link[1])
        return posixpath.relpath(place(target), posixpath.dirname(here) or ".")

    return MARKDOWN.sub(moved, markdown) if (ROOT / origin(here)).is_file() else markdown


def on_page_content(html: str, page: Any, files: Files, **_: Any) -> str:
    """Links of notebooks lead to pages: MkDocs does so in Markdown alone."""
    here = page.file.src_uri

    def moved(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(here), link[1]))
        file = files.get_file_from_path(target)
        if file is None:
            log.warning("%s links to %s, which is not there", here, link[1])
            return link[1]
        return file.url_relative_to(page.file)

    return HTML.sub(moved, html) if here.endswith(".ipynb") else html


def origin(page: str) -> str:
    """The file of the repository that a page is made of."""
    return next((source for source, place in PAGES.items() if place == page), f"docs/{page}")


def named(page: str, link: str) -> str:
    """The file of the repository that a link names."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(origin(page)), link))


def place(file: str) -> str:
    """Where the site has a file of the repository."""
    if file.startswith("docs/"):
        return file.removeprefix("docs/")
    if file in PAGES:
        return PAGES[file]
    if (ROOT / file).is_dir():
        return f"sources/{file}/index.md"
    return f"sources/{file}" + ("" if Path(file).suffix in SHOWN else ".txt")


def outside(files: Files) -> set[str]:
    """What pages name that is neither a page nor beside one."""
    found = set()
    for file in files:
        path = ROOT / origin(file.src_uri)
        if file.src_uri.endswith(".md") and path.is_file():
            links = {named(file.src_uri, link[1]) for link in MARKDOWN.finditer(path.read_text())}
            found |= {link for link in links if place(link).startswith("sources/")}
    return {link for link in found if (ROOT / link).exists()}


def sources(path: str, add: Any) -> None:
    """A file as it is; of a folder all, with a page that lists them."""
    if (ROOT / path).is_file():
        add(place(path), abs_src_path=str(ROOT / path))
        return
    lines = [f"# {path}", "", "| file | bytes |", "|---|--:|"]
    for file in sorted(file for file in (ROOT / path).rglob("*") if file.is_file()):
        name = file.relative_to(ROOT).as_posix()
        inside = posixpath.relpath(place(name), f"sources/{path}")
        add(place(name), abs_src_path=str(file))
        lines.append(f"| [{file.relative_to(ROOT / path)}]({inside}) | {file.stat().st_size} |")
    add(f"sources/{path}/index.md", content="\n".join(lines) + "\n")


def unsaid() -> list[str]:
    """Public names of the Python package that no page documents."""
    tree = ast.parse((ROOT / "python" / "airpath" / "__init__.py").read_text())
    public = next(node.value for node in tree.body if isinstance(node, ast.Assign) and "__all__" in map(ast.unparse, node.targets))
    said = "".join(page.read_text() for page in (HERE / "pages" / "python").glob("*.md")).split()
    return [name for name in ast.literal_eval(public) if name[0] != "_" and f"airpath.{name}" not in said]


def crates(rust: Path) -> str:
    """The page that leads to the documentation of each crate."""
    what = "What each crate is for, and what it may see, stands in [the architecture](ARCHITECTURE.md)."
    return "\n".join(["# Rust API", "", what, "", "| crate | |", "|---|---|", *rows(rust)]) + "\n"


def rows(rust: Path) -> Iterator[str]:
    for manifest in sorted(ROOT.glob("crates/*/Cargo.toml")):
        crate = tomllib.loads(manifest.read_text())
        if not crate.get("lib", {}).get("doc", True):
            continue
        name = crate["package"]["name"]
        page = crate.get("lib", {}).get("name", name.replace("-", "_"))
        if not (rust / page / "index.html").is_file():
            log.warning("there is no documentation of %s in %s", name, rust)
        yield f"| [`{name}`](rust/{page}/index.html) | {crate['package'].get('description', '')} |"
