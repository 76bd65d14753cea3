"""Tables of the runs of published studies. ``airpath.reproduce`` finds them here."""

from pathlib import Path

#: The folder of studies with their tables.
STUDIES = Path(__file__).parent / "studies"
