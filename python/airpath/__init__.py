"""airpath: a laboratory for latency on the path through an LTE or 5G cell.

>>> import airpath
>>> cell = airpath.Scenario.from_template("lte-6rb")
>>> cell.duration = "2 s"
>>> results = airpath.run(cell)
>>> results.flows["name"]
['download', 'voice']

Tables are handed out through Arrow's PyCapsule interface: ``polars.DataFrame(results.flows)``,
``pyarrow.table(results.flows)``. docs/python.md says more.
"""

from airpath import _airpath
from airpath._campaign import Comparison, Sweep, compare, sweep
from airpath._capacity import capacity
from airpath._commands import (
    Analysis,
    Result,
    analyse,
    calibrate,
    call,
    drop,
    export,
    latency,
    reproduce,
    studies,
)
from airpath._errors import (
    AirpathError,
    InputError,
    Interrupted,
    PartError,
    Problem,
    RunError,
    ScenarioError,
)
from airpath._evaluate import Card, evaluate
from airpath._frame import Frame
from airpath._parts import (
    Ack,
    Backlog,
    Candidate,
    Controller,
    Grants,
    Loss,
    Packet,
    Queue,
    Scheduler,
    Slot,
    Source,
    Start,
    Verdict,
)
from airpath._plot import Chart, Plot, charts, plot
from airpath._run import Run, run
from airpath._scenario import Scenario, Section, Template, schema, templates

__version__: str = _airpath.VERSION
#: What identifies this build: of one build, the same scenario and seed give the same bytes.
__build__: str = _airpath.BUILD

__all__ = [
    "Ack",
    "AirpathError",
    "Analysis",
    "Backlog",
    "Candidate",
    "Card",
    "Chart",
    "Comparison",
    "Controller",
    "Frame",
    "Grants",
    "InputError",
    "Interrupted",
    "Loss",
    "Packet",
    "PartError",
    "Plot",
    "Problem",
    "Queue",
    "Result",
    "Run",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Scheduler",
    "Section",
    "Slot",
    "Source",
    "Start",
    "Sweep",
    "Template",
    "Verdict",
    "__build__",
    "__version__",
    "analyse",
    "calibrate",
    "call",
    "capacity",
    "charts",
    "compare",
    "drop",
    "evaluate",
    "export",
    "latency",
    "plot",
    "reproduce",
    "run",
    "schema",
    "studies",
    "sweep",
    "templates",
]
