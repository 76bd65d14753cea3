"""Notebooks run, and what they show is what they come to.

Notebooks are kept with their outputs, for those who read them where nothing runs. `UPDATE_DOCS=1`
writes the outputs anew.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import nbclient
import nbformat
import pytest

SITE = Path(__file__).parents[2] / "site"
NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
#: Charts are kept as pictures alone: their data are many times as long, and their page is no page.
LEFT_OUT = "application/vnd.vegalite"


@pytest.fixture(autouse=True)
def _own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of a person's own, and nothing of theirs is written to."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))
    # Warnings of the kernel's own transport are no output of a notebook.
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_is_current(path: Path, tmp_path: Path) -> None:
    kept = nbformat.read(path, as_version=4)
    made = nbformat.read(path, as_version=4)
    at = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(made, timeout=300, kernel_name="python3", resources=at).execute()
    tidy(made)
    if os.environ.get("UPDATE_DOCS"):
        nbformat.write(made, path)
        return
    for place, (then, now) in enumerate(zip(kept.cells, made.cells, strict=True), 1):
        old = f"{path.name}, cell {place}: its output is old. UPDATE_DOCS=1 writes it anew"
        assert then == now, old
    assert kept == made


def test_notebooks_of_examples_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(SITE))
    written = importlib.import_module("examples").notebook
    names = (SITE / "examples.txt").read_text().split()
    for name in names if os.environ.get("AIRPATH_TEST_LONG") else names[:1]:
        made = nbformat.reads(written(name, "a cell"), as_version=4)
        nbformat.validate(made)
        at = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(made, timeout=300, kernel_name="python3", resources=at).execute()


def tidy(notebook: nbformat.NotebookNode) -> None:
    """Leaves what is the same wherever and whenever it ran."""
    notebook.metadata.language_info = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_progress(output)]
        for output in cell.get("outputs", []):
            for kind in [kind for kind in output.get("data", {}) if kind.startswith(LEFT_OUT)]:
                del output.data[kind]


def is_progress(output: nbformat.NotebookNode) -> bool:
    """Whether this is a bar, which comes and goes with what takes long."""
    if output.get("name") != "stderr":
        return False
    lines = output.text.replace("\r", "\n").splitlines()
    return all(not line.strip() or line.endswith(" left") for line in lines)
