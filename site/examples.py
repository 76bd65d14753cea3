"""Examples of the site: the reports of some templates, and a notebook that runs each.

``run.sh`` writes them into a folder: ``templates.txt`` is what ``airpath new`` lists, and ``NAME.html`` the report of
a template.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def summaries(folder: Path) -> dict[str, str]:
    """Names of the templates that have a report in the folder, with their summaries."""
    lines = (line.split(maxsplit=1) for line in (folder / "templates.txt").read_text().splitlines() if line.startswith("  "))
    return {name: summary for name, summary in lines if (folder / f"{name}.html").is_file()}


def page(templates: dict[str, str], playground: bool) -> str:
    """The page that leads to reports and notebooks, and to the playground where that is a part of the site."""
    head = [
        "# Examples",
        "",
        "Each report is one file that explains a run: its question, its answer and the reasons. The notebook runs the",
        "same template and shows its charts. It needs `pip install 'airpath[notebook]'`.",
        "",
        "| template | | |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *(row(name, text, playground) for name, text in templates.items())]) + "\n"


def row(name: str, summary: str, playground: bool) -> str:
    """A template's line of the table."""
    links = [f"[report]({name}.html)", f"[notebook]({name}.ipynb)"]
    if playground:
        links.insert(1, f"[open in the playground](../playground/index.html#template={name})")
    return f"| `{name}`: {summary} | {links[0]} | {', '.join(links[1:])} |"


def notebook(name: str, summary: str) -> str:
    """A notebook that runs a template, without outputs (nbformat 4.5)."""
    cells = [
        ("markdown", f"# {name}\n\nThe template has {summary}.\n\nWithout airpath: `%pip install 'airpath[notebook]'`"),
        ("code", f"import airpath\n\ncell = airpath.Scenario.from_template({name!r}).set(\"output.packets\", True)\ncell"),
        ("code", "run = airpath.run(cell)\nrun"),
        ("markdown", "Each stage's share of the mean delay:"),
        ("code", "run.plot.stages()"),
        ("markdown", "Delays as a distribution:"),
        ("code", "run.plot.cdf()"),
    ]
    return json.dumps(
        {
            "cells": [cell(number, kind, source) for number, (kind, source) in enumerate(cells)],
            "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
            "nbformat": 4,
            "nbformat_minor": 5,
        },
        indent=1,
    )


def cell(number: int, kind: str, source: str) -> dict[str, Any]:
    """A cell of a notebook."""
    common = {"id": f"cell-{number}", "cell_type": kind, "metadata": {}, "source": source}
    return common if kind == "markdown" else common | {"execution_count": None, "outputs": []}
