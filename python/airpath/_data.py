"""Tables of studies that the package ``airpath-data`` has."""

from __future__ import annotations

import os
from importlib.util import find_spec

#: The variable by which the program finds folders of studies.
VARIABLE = "AIRPATH_STUDIES"


def announce() -> None:
    """Names the tables of the package to the program, unless the variable names others."""
    if VARIABLE not in os.environ and find_spec("airpath_data") is not None:
        from airpath_data import STUDIES  # type: ignore[import-not-found, import-untyped, unused-ignore]

        os.environ[VARIABLE] = str(STUDIES)
