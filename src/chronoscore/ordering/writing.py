"""Writing orders of events: the tab format of SemEval-2015 Task 4, and TimeML graphs."""

import re
from collections.abc import Iterable
from pathlib import Path

from chronoscore.core.case import Case
from chronoscore.core.collection import ONLY, put
from chronoscore.core.reading import Reading
from chronoscore.core.writing import path_inside, write_file
from chronoscore.elements.timeml import read_timeml
from chronoscore.ordering.formats import Collection, read_orders
from chronoscore.ordering.graphs import NotATimeline, graph_in, timeline_of, timeml
from chronoscore.ordering.model import Timeline
from chronoscore.ordering.semeval import Mode

_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
GRAPH_SUFFIXES = (".tml", ".timeml")


def read_any(path: Path, reading: Reading) -> Collection:
    """Read timelines in any format, and graphs (`.tml`) that are timelines."""
    path = reading.plain(path)
    files = {path.stem: path}
    if path.is_dir():
        graphs = sorted(file for file in path.rglob("*") if file.suffix in GRAPH_SUFFIXES)
        files = {file.relative_to(path).with_suffix("").as_posix(): file for file in graphs}
    if not any(file.suffix in GRAPH_SUFFIXES for file in files.values()):
        return read_orders(path, reading)
    found: Collection = {}
    for name, file in files.items():
        before = len(reading.problems)
        document = read_timeml(file, reading)
        if document is None or len(reading.problems) > before:
            continue
        try:
            timeline = timeline_of(graph_in(document))
        except NotATimeline as error:
            reading.problem(f"the graph is no timeline: {error}", file)
            continue
        if not timeline.rows:
            reading.notice("there are no events in the graph", file)
        put(found, name, ONLY, timeline, reading, file)
    return found


def tab_text(timeline: Timeline, title: str) -> str:
    r"""Write a timeline in the tab format, below its title.

    >>> from chronoscore.ordering.model import Row
    >>> tab_text(Timeline((Row(1, "2003", ("11778-3-launch", "11778-4-launch")),)), "itunes")
    'itunes\n1\t2003\t11778-3-launch\t11778-4-launch\n'
    """
    rows = sorted(timeline.rows, key=lambda row: row.position)
    lines = ("\t".join((str(row.position), row.anchor, *row.mentions)) for row in rows)
    return "\n".join([title, *lines]) + "\n"


def write_orders(collection: Collection, target: Path, form: str) -> list[Path]:
    """Write each timeline into a file of the folder `target`, in the form `semeval` or `timeml`."""
    written = []
    for name, named in collection.items():
        for gold, timeline in named.items():
            stem = name if len(named) == 1 else f"{name}.{gold}"
            if form == "semeval":
                path, text = (
                    target / path_inside(f"{stem}.txt"),
                    tab_text(timeline, name.rpartition("/")[2]),
                )
            else:
                path = target / path_inside(f"{stem}.tml")
                text = timeml(timeline, Timeline(()), "full")[0]
            written.append(_write(path, text))
    return written


def write_graphs(cases: Iterable[Case[Timeline, Timeline]], target: Path, mode: Mode) -> list[Path]:
    """Write the two graphs of each case: `<case>_gold.tml` and `<case>_sys.tml`."""
    written = []
    for case in cases:
        gold, system = timeml(case.gold, case.predicted, mode)
        written.append(_write(target / path_inside(f"{case.id}_gold.tml"), gold))
        written.append(_write(target / path_inside(f"{case.id}_sys.tml"), system))
    return written


def _write(path: Path, text: str) -> Path:
    if path.suffix in GRAPH_SUFFIXES:
        text = _NOT_IN_XML.sub("\ufffd", text)
    return write_file(path, text)
