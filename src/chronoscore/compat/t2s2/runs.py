"""A run of the scorer: gold and systems with their matches, and the summary of each system.

Documents are joined by name. One that a system lacks takes no part in its numbers, not even in
their denominators; one that gold lacks is ignored. A system without a common document has no row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from chronoscore.compat.t2s2.matching import Distances, RowMatch, greedy, lap
from chronoscore.compat.t2s2.measures import SeriesSummary, matched_rows, summarise
from chronoscore.compat.t2s2.reading import SeriesRow, check_times_of_gold, read_series
from chronoscore.errors import UsageError

DEFAULT_THRESHOLD = 0.1
Documents = Mapping[str, Sequence[SeriesRow]]
"""The rows of documents by name."""


@dataclass(frozen=True)
class MatchedSystem:
    """What a system predicted, and how its rows are matched with those of gold."""

    gold: Documents
    """The documents that the system has too."""
    predicted: Documents
    matches: Mapping[str, Sequence[RowMatch]]
    distances: Mapping[str, Distances] | None = None
    """The distances that the matches come from, where they are known."""

    def summary(self, threshold: float) -> SeriesSummary | None:
        """Return the numbers of the system, or None if no row takes part."""
        rows = [
            matched_rows(self.gold[name], self.predicted[name], matches)
            for name, matches in self.matches.items()
        ]
        return summarise(rows, threshold) if any(rows) else None


def compare(
    gold: Mapping[str, str],
    predicted: Mapping[str, Mapping[str, str]],
    distances: Mapping[str, Mapping[str, Distances]] | None = None,
    *,
    threshold: float = DEFAULT_THRESHOLD,
    header: bool = False,
    use_lap: bool = False,
) -> dict[str, SeriesSummary]:
    r"""Score the texts of files by file name: those of gold, and those of each system.

    `distances` has a matrix for each system and file, with a row for each gold row and a column for
    each predicted row. Without it, two rows are at distance 0 if their events are equal, else at 1.

    >>> gold = {"d1.csv": "event,time\nfever,-24\nrash,5\n"}
    >>> compare(gold, {"ours": {"d1.csv": "event,time\nedema,0\n"}})["ours"].match_rate
    0.3333333333333333
    """
    runs = system_runs(gold, predicted, distances, header=header, use_lap=use_lap)
    summaries = {name: run.summary(valid_threshold(threshold)) for name, run in runs.items()}
    return {name: summary for name, summary in summaries.items() if summary is not None}


def system_runs(
    gold: Mapping[str, str],
    predicted: Mapping[str, Mapping[str, str]],
    distances: Mapping[str, Mapping[str, Distances]] | None = None,
    *,
    header: bool = False,
    use_lap: bool = False,
) -> dict[str, MatchedSystem]:
    """Read the texts of files and match their rows; arguments are those of `compare`."""
    documents = [{document_of(file): file for file in files} for files in predicted.values()]
    files = {document_of(file): file for file in gold}
    wanted = {name: file for name, file in files.items() if any(name in d for d in documents)}
    rows = {n: read_series(gold[file], file, header=header) for n, file in wanted.items()}
    check_times_of_gold([(wanted[name], found) for name, found in rows.items()])
    runs = {}
    for (system, texts), names in zip(predicted.items(), documents, strict=True):
        common = {name: rows[name] for name in rows if name in names}
        series = {n: read_series(texts[names[n]], names[n], header=header) for n in common}
        matrices = {
            n: exact_distances(common[n], series[n])
            if distances is None
            else distances[system][names[n]]
            for n in common
        }
        runs[system] = matched_run(common, series, matrices, use_lap=use_lap)
    return runs


def matched_run(
    gold: Documents,
    predicted: Documents,
    distances: Mapping[str, Distances],
    *,
    use_lap: bool = False,
) -> MatchedSystem:
    """Match the rows of the documents that a system has in common with gold."""
    match = lap if use_lap else greedy
    for name, matrix in distances.items():
        shape = len(gold[name]), len(predicted[name])
        if len(matrix) != shape[0] or any(len(row) != shape[1] for row in matrix):
            raise UsageError(
                f"the distances of '{name}' are no matrix of {shape[0]} gold rows and "
                f"{shape[1]} predicted rows"
            )
    matches = {name: match(matrix) for name, matrix in distances.items()}
    return MatchedSystem(gold, predicted, matches, distances)


def exact_distances(gold: Sequence[SeriesRow], predicted: Sequence[SeriesRow]) -> Distances:
    """Return 0 for rows of the same event and 1 for others; NA is an empty text."""
    return [[float((g.event or "") != (p.event or "")) for p in predicted] for g in gold]


def valid_threshold(threshold: float) -> float:
    """Return the threshold, or 0.1 for one that is not in 0 to 1.

    >>> valid_threshold(1), valid_threshold(1.5)
    (1, 0.1)
    """
    return threshold if 0 <= threshold <= 1 else DEFAULT_THRESHOLD


def document_of(file: str) -> str:
    """Return the name of a file's document.

    >>> document_of("PMC10037274_body.csv")
    'PMC10037274_body'
    """
    return PurePath(file).stem
