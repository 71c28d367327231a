"""The T2S2 scorer: every number, match, print-out and error of the original, and its command."""

import io
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from vectors_home import free

from chronoscore.compat.t2s2 import SeriesSummary, compare, differences, printout, tts_metrics
from chronoscore.compat.t2s2.__main__ import main
from chronoscore.compat.t2s2.matching import UNMATCHED_COST, RowMatch, greedy, lap
from chronoscore.compat.t2s2.measures import (
    COLUMNS,
    MatchedRow,
    concordance,
    matched_rows,
    median,
    summarise,
)
from chronoscore.compat.t2s2.reading import as_numeric, read_series
from chronoscore.compat.t2s2.readr_numbers import number
from chronoscore.compat.t2s2.runs import MatchedSystem, document_of, system_runs, valid_threshold
from chronoscore.errors import DataError, UsageError

FILES = ("greedy", "lap", "large", "no_header", "quirks", "ties")
Vector = dict[str, Any]
CSV = "event,time\nfever,-24\ncough,0\nrash,48\n"


def vectors() -> Iterator[Vector]:
    for name in FILES:
        yield from free(f"clinical/tts_{name}.json")


VECTORS = {vector["name"]: vector for vector in vectors()}
FAILING = sorted(name for name, vector in VECTORS.items() if "error" in vector["answers"])
SCORED = [vector for name, vector in VECTORS.items() if name not in FAILING]


def runs_of(vector: Vector) -> dict[str, MatchedSystem]:
    words = {"header": vector["header"], "use_lap": vector["matching"] == "lap"}
    return system_runs(vector["gold"], vector["predicted"], vector["distances"], **words)


def is_unique(vector: Vector, system: str) -> bool:
    """Whether each document has one best assignment, so that the answer is promised."""
    return all(vector.get("unique_optimum", {}).get(system, {}).values())


def promised() -> Iterator[tuple[Vector, str]]:
    for vector in SCORED:
        for system in vector["answers"]["summary"]:
            if is_unique(vector, system):
                yield vector, system


def as_listed(match: RowMatch) -> list[float | None]:
    return [match.gold, match.predicted, None if match.predicted is None else match.distance]


def test_every_number_is_equal_to_the_last_bit() -> None:
    compared = 0
    for vector in SCORED:
        summaries = {
            name: run.summary(valid_threshold(vector["threshold"]))
            for name, run in runs_of(vector).items()
        }
        listed = {name: summary for name, summary in summaries.items() if summary is not None}
        assert list(listed) == list(vector["answers"]["summary"]), vector["name"]
        for system, expected in vector["answers"]["summary"].items():
            if is_unique(vector, system):
                assert asdict(listed[system]) == expected, (vector["name"], system)
                compared += 1
    assert compared == len(list(promised())) > 200


def test_every_print_out_is_equal() -> None:
    compared = 0
    for vector in SCORED:
        if all(is_unique(vector, system) for system in vector["answers"]["summary"]):
            words = {"threshold": vector["threshold"], "header": vector["header"]}
            summaries = compare(
                vector["gold"],
                vector["predicted"],
                vector["distances"],
                use_lap=vector["matching"] == "lap",
                **words,
            )
            assert printout(summaries) == vector["answers"]["printed"], vector["name"]
            compared += 1
    assert compared > 140


def test_every_match_is_equal_and_in_the_same_place() -> None:
    compared = 0
    for vector in SCORED:
        unique = vector.get("unique_optimum")
        for system, run in runs_of(vector).items():
            for file, expected in vector["answers"]["matches"].get(system, {}).items():
                if unique is None or unique[system][file]:
                    matches = map(as_listed, run.matches[document_of(file)])
                    assert list(matches) == expected, (vector["name"], system, file)
                    compared += 1
    assert compared > 350


def test_an_assignment_that_is_not_unique_costs_as_much_as_the_original() -> None:
    compared = 0
    for vector in SCORED:
        for system, files in vector.get("unique_optimum", {}).items():
            for file in (file for file, unique in files.items() if not unique):
                own = map(as_listed, lap(vector["distances"][system][file]))
                costs = [
                    sum(UNMATCHED_COST if match[2] is None else match[2] for match in matches)
                    for matches in (own, vector["answers"]["matches"][system][file])
                ]
                assert costs[0] == pytest.approx(costs[1], abs=1e-6)
                compared += 1
    assert compared > 20


def test_every_document_has_its_concordance() -> None:
    for vector, system in promised():
        run, threshold = runs_of(vector)[system], valid_threshold(vector["threshold"])
        found = {}
        for name, matches in run.matches.items():
            rows = matched_rows(run.gold[name], run.predicted[name], matches)
            value = concordance(row for row in rows if row.distance < threshold)
            if value is not None:
                found[name] = value
        assert found == vector["answers"]["concordance_by_document"].get(system, {})


@pytest.mark.parametrize("name", FAILING)
def test_what_ends_the_run_of_the_original_is_an_error(name: str) -> None:
    with pytest.raises(DataError):
        runs_of(VECTORS[name])


def test_four_vectors_are_errors() -> None:
    assert len(FAILING) == 4


# The match file, as the original writes it.


def match_file(vector: Vector, system: str) -> str:
    """What the original writes for a system; NA is written as NA, and a text in quotes."""
    lines = ["common.bns,files,v1,v2,error.rate,idx,match.idx,keep,ref.time,pilot.time"]
    for file, matches in vector["answers"]["matches"][system].items():
        gold, predicted = (
            read_series(side[file], file, header=vector["header"])
            for side in (vector["gold"], vector["predicted"][system])
        )
        for row, other, distance in matches:
            match = None if other is None else predicted[other - 1]
            fields = (
                document_of(file),
                quoted(f"gold/{file}"),
                quoted(gold[row - 1].event or ""),
                "NA" if match is None else quoted(match.event or ""),
                "Inf" if distance is None else repr(distance),
                str(row),
                "NA" if other is None else str(other),
                "FALSE" if distance is None or distance >= 0.6 else "TRUE",
                quoted(gold[row - 1].time),
                "NA" if match is None else quoted(match.time),
            )
            lines.append(",".join(fields))
    return "\n".join(lines) + "\n"


def quoted(text: str | None) -> str:
    return "NA" if text is None else '"' + text.replace('"', '""') + '"'


def test_every_number_of_the_python_module() -> None:
    compared = 0
    for vector in SCORED:
        threshold = valid_threshold(vector["threshold"])
        for system, expected in vector["twin"].items():
            frame = pd.read_csv(io.StringIO(match_file(vector, system))).assign(pilot_name=system)
            (rate,) = tts_metrics.calculate_match_rate(frame, threshold)["match_rate"]
            table = tts_metrics.calculate_concordance(frame, threshold)
            rows = table.to_dict("records")
            values = [row["cindex"] for row in rows if not math.isnan(row["cindex"])]
            aultc = tts_metrics.calculate_aultc(frame, threshold)
            found = {
                "match_rate": rate,
                "by_case": {row["common.bns"]: none_if_nan(row["cindex"]) for row in rows},
                "concordance": median(sorted(values)),
                "aultc": none_if_nan(aultc),
            }
            assert found == expected, (vector["name"], system)
            compared += 1
    assert compared == 236


def none_if_nan(value: float) -> float | None:
    return None if math.isnan(value) else value


FRAME = pd.DataFrame(
    {
        "pilot_name": ["b", "b", "b", "a", "a"],
        "common.bns": ["d1", "d1", "d1", "d1", "d2"],
        "v1": ["fever", "cough", None, "fever", "rash"],
        "error.rate": [0.0, 0.05, 0.0, 0.2, math.nan],
        "ref.time": ["0", "5", "9", "0", "1"],
        "pilot.time": ["1", "0x10", "3", "0", "1"],
    }
)


def test_the_python_module_gives_a_row_for_each_system() -> None:
    rates = tts_metrics.calculate_match_rate(FRAME, 0.1)
    assert rates.to_dict("list") == {"pilot_name": ["a", "b"], "match_rate": [0.0, 1.0]}
    table = tts_metrics.calculate_concordance(FRAME)
    assert table.to_dict("records") == [
        {
            "pilot.names": "b",
            "common.bns": "d1",
            "cindex": 1.0,
            "score_sum": 2.0,
            "denom": 2,
            "concordant": 2,
            "ties": 0,
            "n_rows_used": 2,
        }
    ]
    renamed = FRAME.rename(columns={"pilot_name": "pilot.names", "ref.time": "time"})
    assert tts_metrics.calculate_concordance(renamed, truth_col="time").equals(table)
    versions = tts_metrics.calculate_aultc_simple(FRAME, 0.3, version_column="pilot_name")
    one_hour = 1 - math.log(2) / math.log(60 * 24 * 365.26)
    assert versions["pilot_name"].tolist() == ["b", "a"]
    assert versions["auc"].tolist() == pytest.approx([one_hour, 1.0])
    assert tts_metrics.calculate_aultc(renamed) == tts_metrics.calculate_aultc_simple(FRAME)


def test_the_python_module_without_a_row_below_the_threshold() -> None:
    assert math.isnan(tts_metrics.calculate_aultc(FRAME, 0.0))
    table = tts_metrics.calculate_aultc_simple(FRAME, 0.0, version_column="pilot_name")
    assert (list(table.columns), len(table)) == (["pilot_name", "auc"], 0)
    assert len(tts_metrics.calculate_concordance(FRAME, 0.0)) == 0
    with pytest.raises(ValueError, match=r"'time.pilot' or 'pilot.time'"):
        tts_metrics.calculate_aultc(FRAME.drop(columns="pilot.time"))


def test_the_python_module_counts_pairs_of_infinite_times_as_wrong() -> None:
    rows = [MatchedRow(0, 0.0, math.inf), MatchedRow(0, 5.0, math.inf), MatchedRow(0, 9.0, 1.0)]
    assert concordance(rows) is None
    frame = pd.DataFrame(
        {
            "pilot_name": "s",
            "common.bns": "d",
            "error.rate": [row.distance for row in rows],
            "ref.time": [row.time for row in rows],
            "pilot.time": [row.predicted_time for row in rows],
        }
    )
    assert tts_metrics.calculate_concordance(frame)["cindex"].tolist() == [0.0]


# Reading.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("12", 12.0), ("-0.5", -0.5), ("+5", 5.0), (".5", 0.5), ("1.", 1.0), ("1e3", 1000.0)),
        *(("1e", 1.0), ("1e-", 1.0), ("1E+2", 100.0), ("  7\t", 7.0), ("0x1F", 31.0)),
        *(("Inf", math.inf), ("-inf", -math.inf), ("infinity", math.inf), ("1e999", math.inf)),
        *(("1e-999", 0.0), ("1e99999999999999999999", math.inf), ("0x" + "f" * 400, math.inf)),
        *((None, None), ("", None), (".", None), ("e5", None), ("NaN", None), ("NA", None)),
        *(("1,032", None), ("2-3", None), ("12h", None), ("1_000", None), ("TRUE", None)),
        *(("12L", None), ("1d2", None), ("2013-01-05", None), ("−12", None), ("١٢", None)),
    ],
)
def test_numbers_are_those_of_r(text: str | None, value: float | None) -> None:
    assert as_numeric(text) == value


@given(st.integers(1, 10**19 - 1), st.integers(0, 27))
def test_decimals_are_rounded_to_64_bits_and_then_to_53(digits: int, places: int) -> None:
    assume(np.finfo(np.longdouble).nmant == 63)
    exact = np.longdouble(str(digits)) / np.longdouble(str(10**places))
    text = str(digits).rjust(places + 1, "0")
    written = f"{text[: len(text) - places]}.{text[len(text) - places :]}"
    assert as_numeric(written) == float(exact)


@given(st.floats(allow_nan=False))
def test_a_printed_number_gives_the_number_back(value: float) -> None:
    assert float(number(value)) == value


def test_few_numbers_have_more_digits_than_they_need() -> None:
    numbers = np.random.default_rng(5).random(20_000).tolist()
    longer = [value for value in numbers if len(number(value)) > len(repr(value))]
    assert 20 < len(longer) < 50  # Grisu3 gives up on 0.4 %, half of which need 17 digits anyway
    assert all(number(value) == f"{value:.17g}" for value in longer)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.0, "0"), (3269.0, "3269"), (100000.0, "100000"), (1e14, "100000000000000")),
        *((1e15, "1e15"), (123456789012345680.0, "123456789012345680"), (1.5e300, "15e299")),
        *((0.0035, "0.0035"), (0.001, "0.001"), (9.17e-4, "9.17e-4"), (9e-6, "9e-6")),
        # Numbers that the release writes with 17 digits, and one that needs them
        *(
            (0.6563510890662066, "0.65635108906620665"),
            (0.36071428571428577, "0.36071428571428577"),
        ),
        *((8766.24, "8766.24"), (-0.25, "-0.25"), (math.inf, "Inf"), (-math.inf, "-Inf")),
    ],
)
def test_numbers_are_written_as_readr_writes_them(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('"a, b",1\n', [("a, b", "1")]),
        ('"a ""b""",1', [('a "b"', "1")]),
        ('the "flu",1', [('the "flu"', "1")]),
        ('"two\nlines",1\nc,2', [("two\nlines", "1"), ("c", "2")]),
        ('a,1\n"never closed,2\nb,3\n', [("a", "1"), ("never closed,2\nb,3\n", None)]),
        ("a,1\n\n   \nb,2\r\n", [("a", "1"), ("b", "2")]),
        ("a,1\nb\nc,2,3\n", [("a", "1"), ("b", None), ("c", "2,3")]),
        ("a,1,x\nb,2,3,4\n", [("a", "1"), ("b", "2")]),
        ("\ufeff a , 1 \n,NA\nNA,\n", [("a", "1"), (None, None), (None, None)]),
    ],
)
def test_rows_are_those_of_readr(text: str, rows: list[tuple[str | None, str | None]]) -> None:
    assert [row[:2] for row in read_series(text, "d.csv")] == rows


def test_bars_separate_the_columns_of_a_bsv_file() -> None:
    rows = read_series("fever, high|-24\n", "d.bsv")
    assert rows[0][:2] == ("fever, high", "-24")


def test_a_gold_column_of_na_alone_goes_with_numbers_and_with_words() -> None:
    for times in ("1", "?"):
        gold = {"a.csv": f"fever,{times}\n", "b.csv": "rash,NA\n"}
        assert compare(gold, {"s": gold})["s"].match_rate == 1


def test_gold_that_no_system_has_is_not_read() -> None:
    gold = {"a.csv": CSV, "b.csv": ""}
    assert compare(gold, {"s": {"a.csv": CSV}})["s"].count == 4


def test_a_system_whose_gold_events_are_all_na_has_no_row() -> None:
    gold = {"a.csv": "NA,1\n"}
    assert compare(gold, {"s": gold}) == {}


def test_an_infinite_error_is_the_worst_and_may_be_the_median() -> None:
    rows = [MatchedRow(0, 0.0, math.inf), MatchedRow(0, 0.0, math.inf), MatchedRow(0, 0.0, 0.0)]
    summary = summarise([rows], 0.1)
    assert (summary.mae, number(summary.mae)) == (math.inf, "Inf")
    assert summary.auc == pytest.approx(1 / 3)
    both = summarise([[MatchedRow(0, math.inf, math.inf)]], 0.1)
    assert (both.mae, both.auc) == (None, 0.0)


def test_distances_of_another_size_are_refused() -> None:
    with pytest.raises(UsageError, match="no matrix of 4 gold rows and 4 predicted rows"):
        compare({"a.csv": CSV}, {"s": {"a.csv": CSV}}, {"s": {"a.csv": [[0.0]]}})


matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from((0.0, 0.02, 0.05, 0.1, 0.3, 0.7)), min_size=width, max_size=width),
        min_size=1,
        max_size=5,
    )
)


@given(matrices)
@pytest.mark.parametrize("match", [greedy, lap])
def test_every_gold_row_occurs_once_and_a_predicted_row_at_most_once(
    match: Callable[[list[list[float]]], list[RowMatch]], matrix: list[list[float]]
) -> None:
    matches = match(matrix)
    assert sorted(row.gold for row in matches) == list(range(1, len(matrix) + 1))
    taken = [row.predicted for row in matches if row.predicted is not None]
    assert len(set(taken)) == len(taken)
    for row in matches:
        if row.predicted is not None:
            assert row.distance == matrix[row.gold - 1][row.predicted - 1]


# The command.


def write_folder(folder: Path, files: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return folder


def command_of(vector: Vector, folder: Path, *, given: str) -> list[str]:
    """Write the files of a vector, and return the arguments of the command."""
    words = [str(write_folder(folder / "gold", vector["gold"]))]
    known = [f"--{given}"]
    for number_, (system, files) in enumerate(vector["predicted"].items()):
        words.append(f"{system}={write_folder(folder / f'system{number_}', files)}")
        path = folder / f"{given}{number_}"
        if given == "matches":
            path.write_text(match_file(vector, system), encoding="utf-8")
        else:
            matrices = vector["distances"].get(system, {})
            rows = {
                f"{document_of(file)}.csv": "".join(
                    ",".join(map(repr, row)) + "\n" for row in matrix
                )
                for file, matrix in matrices.items()
            }
            write_folder(path, rows)
        known.append(f"{system}={path}")
    words += [*known, "--threshold", repr(vector["threshold"])]
    return words + ["--header"] * vector["header"]


@pytest.mark.parametrize("given_as", ["distances", "matches"])
def test_the_command_prints_every_print_out(
    given_as: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = 0
    for at, vector in enumerate(SCORED):
        systems = vector["answers"]["summary"]
        if given_as == "matches" and set(systems) != set(vector["predicted"]):
            continue  # a system without a common document has no match file
        if given_as == "distances" and not all(is_unique(vector, system) for system in systems):
            continue
        words = command_of(vector, tmp_path / str(at), given=given_as)
        if vector["matching"] == "lap" and given_as == "distances":
            words.append("--lap")
        assert main(words) == 0
        assert capsys.readouterr().out == vector["answers"]["printed"], vector["name"]
        compared += 1
    assert compared > 140


@pytest.mark.parametrize("name", FAILING)
def test_the_command_ends_with_3_where_the_original_fails(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command_of(VECTORS[name], tmp_path, given="distances")) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("error: /")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Gold, a system and both kinds of matches, in the working directory."""
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "gold", {"d1.csv": CSV})
    write_folder(tmp_path / "run", {"d1.csv": CSV})
    rows = [",".join("01"[i != j] for j in range(4)) for i in range(4)]
    write_folder(tmp_path / "distances", {"d1.csv": "\n".join(rows) + "\n"})
    lines = [
        f"d1,{event},{event},0,{row},{row}"
        for row, event in enumerate(("event", "fever", "cough", "rash"), 1)
    ]
    lines = ["common.bns,v1,v2,error.rate,idx,match.idx", *lines]
    (tmp_path / "matches.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tmp_path


BY_DISTANCES = ["gold", "s=run", "--distances", "s=distances"]
BY_MATCHES = ["gold", "s=run", "--matches", "s=matches.csv"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("words", [BY_DISTANCES, BY_MATCHES])
def test_a_copy_of_gold_scores_1(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 0
    assert capsys.readouterr().out == f"{COLUMNS}\ns,1,4,1,1,1,1,0,1\n"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gold"], "the following arguments are required: NAME=PRED_DIR"),
        (["gold", "s=run"], "one of the arguments --matches --distances is required"),
        ([*BY_MATCHES, "--distances", "s=x"], "not allowed with argument --matches"),
        ([*BY_MATCHES, "--threshold", "x"], "'x' is not a number, expected one from 0 to 1"),
        ([*BY_MATCHES, "--threshold", "nan"], "'nan' is not a number"),
        (["gold", "run", *BY_MATCHES[2:]], "'run' has no name or no path, expected NAME=PRED_DIR"),
        (["gold", "s=", *BY_MATCHES[2:]], "'s=' has no name or no path"),
        (["gold", "s=run", "s=gold", *BY_MATCHES[2:]], "there are two paths for 's'"),
        (["gold", "s=run", "t=run", *BY_MATCHES[2:]], "no matches for 't': add --matches t=PATH"),
        (
            ["gold", "first=run", "--matches", "frist=m"],
            "'frist', but no system has this name; did",
        ),
        ([*BY_MATCHES, "--lap"], "--lap matches rows anew: give --distances"),
        (["none", *BY_MATCHES[1:]], "'none' is not a folder, expected GOLD_DIR NAME=PRED_DIR"),
        (["gold", "s=none", *BY_MATCHES[2:]], "'none' is not a folder"),
    ],
)
def test_wrong_options_end_with_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:  # argparse ends the process itself
        raise SystemExit(main(words))
    assert end.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "changed", "text", "message"),
    [
        (BY_DISTANCES, "distances/d1.csv", "0,1\n", "there are 1 lines of distances, but gold has"),
        (BY_DISTANCES, "distances/d1.csv", "0,1\n" * 4, "d1.csv:1: there are 2 distances, but"),
        (BY_DISTANCES, "distances/d1.csv", "0,1,x,1\n" * 4, "d1.csv:4: the distance is 'x', exp"),
        (BY_DISTANCES, "distances/d1.csv", "0,1,Inf,1\n" * 4, "the distance is 'Inf', expected a"),
        (BY_DISTANCES, "gold/d1.bsv", "a|1", "'d1.bsv' has the same document name, expected one"),
        (BY_DISTANCES, "run/d1.csv", "event\nfever\n", "run/d1.csv:1: the line has one column"),
        (BY_DISTANCES, "run/d1.csv", "a,1\n\udcff,2\n", "run/d1.csv:2: is not valid UTF-8"),
        (BY_MATCHES, "matches.csv", "", "matches.csv: there is no column 'common.bns', expected"),
        (BY_MATCHES, "matches.csv", "common.bns,idx\n", "matches.csv:1: there is no column 'match"),
        (BY_MATCHES, "matches.csv", "d1,9,1,0", ":2: 'idx' is '9', but the gold document has row"),
        (BY_MATCHES, "matches.csv", "d1,1.5,1,0", "'idx' is '1.5', but the gold document has ro"),
        (BY_MATCHES, "matches.csv", "d1,NA,1,0", "'idx' is NA, expected the number of a gold row"),
        (BY_MATCHES, "matches.csv", "d1", "'idx' is NA, expected the number of a gold row"),
        (BY_MATCHES, "matches.csv", "d1,1,0,0", "'match.idx' is '0', but the predicted document"),
        (BY_MATCHES, "matches.csv", "d1,1,1,x", "'error.rate' is 'x', expected a number, Inf or"),
        (BY_MATCHES, "matches.csv", "d1,1,1,0\nd1,1,2,0", ":3: gold row 1 is matched in line 2"),
        (BY_MATCHES, "matches.csv", "d1,1,1,0\nd1,2,1,0", ":3: predicted row 1 is matched in lin"),
        (BY_MATCHES, "run/d1.csv", "event,time\na,1\nb,2\nc,3\n", "'v2' is 'fever', but the event"),
        (BY_MATCHES, "gold/d1.csv", "event,time\na,1\nb,2\nc,3\n", "'v1' is 'fever', but the even"),
    ],
)
def test_bad_data_end_with_3_and_a_message(
    words: list[str],
    changed: str,
    text: str,
    message: str,
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if text.startswith("d1"):
        text = f"common.bns,idx,match.idx,error.rate\n{text}\n"
    (folder / changed).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(words) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert message in printed.err


def test_files_that_are_not_there_end_with_3(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "distances" / "d1.csv").unlink()
    (folder / "matches.csv").unlink()
    for words, path in ((BY_DISTANCES, "distances/d1.csv"), (BY_MATCHES, "matches.csv")):
        assert main(words) == 3
        assert capsys.readouterr().err == f"error: {path}: No such file or directory\n"
    (folder / "run" / "d1.csv").rename(folder / "run" / "d2.csv")
    assert main(BY_DISTANCES) == 3
    assert "gold: no system has a document of this folder" in capsys.readouterr().err


def test_all_files_with_problems_are_named_at_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side in ("gold", "run"):
        write_folder(folder / side, {"d1.csv": "", "d2.csv": "one\n"})
    assert main(BY_DISTANCES) == 3
    assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "error",
        "gold/d2.csv",
    ]


def test_a_threshold_outside_0_to_1_is_replaced_with_a_warning(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    assert main([*BY_DISTANCES, "--threshold", "7"]) == 0
    assert capsys.readouterr().err.startswith(
        "warning: the threshold is 7.0, expected 0 to 1: 0.1 is used"
    )


def test_gold_rows_that_the_match_file_lacks_are_reported(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "matches.csv"
    path.write_text("\n".join(path.read_text(encoding="utf-8").splitlines()[:4]), encoding="utf-8")
    assert main(BY_MATCHES) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith("s,1,3,1,1,1,1,0,1\n")
    assert printed.err.startswith(
        "warning: matches.csv: gold rows left out, since the file lacks them: 1\n"
    )


INPUTS = ("gold/d1.csv", "run/d1.csv", "distances/d1.csv", "matches.csv")
PIECES = (b",", b'"', b"\n", b"NA", b"\xff", b"\0", b"Inf", b"1e9999", b"-1", b"|", b"\r", b"")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    file=st.sampled_from(INPUTS),
    changes=st.lists(st.tuples(st.floats(0, 1), st.sampled_from(PIECES)), min_size=1, max_size=4),
    words=st.sampled_from((BY_DISTANCES, BY_MATCHES)),
    options=st.sets(st.sampled_from(("--header", "--lap"))),
)
def test_changed_files_are_scored_or_refused_with_a_message(
    file: str,
    changes: list[tuple[float, bytes]],
    words: list[str],
    options: set[str],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = folder / file
    original = path.read_bytes()
    data = original
    for share, piece in changes:
        at = int(share * len(data))
        data = data[:at] + piece + data[at + 1 :]
    path.write_bytes(data)
    try:
        code = main([*words, *sorted(options)])
    finally:
        path.write_bytes(original)
    printed = capsys.readouterr()
    if code == 0:
        assert printed.out.startswith(f"{COLUMNS}\n")
    else:
        assert (code, printed.out) in ((2, ""), (3, ""))
        assert printed.err.startswith("error: ")
        assert (code == 2) == ("--lap" in options and words is BY_MATCHES)


# What stands beside the numbers.


def lines_beside(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert main(command_of(VECTORS[name], folder, given="distances")) == 0
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (
            "header_row_is_a_matched_event",
            "  header lines that count as gold events: 1, as matched: 1 (--header drops them)",
        ),
        (
            "missing_document_leaves_denominator",
            "  gold documents without a prediction: 1, events that leave the denominator with "
            "them: 3",
        ),
        (
            "no_precision_listing_everything",
            "  predicted rows that match nothing, which costs nothing: 40 of 45; there is no "
            "precision",
        ),
        (
            "withheld_times_pay",
            "  predicted times that can't be read: 2; withholding a bad time pays",
        ),
        (
            "withheld_times_pay",
            "  pairs left out, since their predicted time can't be read: 2",
        ),
        ("gold_time_word", "  gold times that can't be read, taken for the worst error: 1"),
        (
            "same_text_twice",
            "  documents with a text more than once, where the order of rows decides which times "
            "are compared: 1",
        ),
        ("gold_times_all_equal", "  documents left out, since no two events are in an order: 1"),
        ("greedy_is_not_best", "  pairs that are kept: 2, that could be kept: 3"),
        (
            "aultc_one_year_off_hours",
            "  the worst error is 525973 hours: the minutes of a year, taken for hours",
        ),
        ("reversed_order", "  this is a median: the mean error is 90 hours"),
    ],
)
def test_a_fault_is_named_with_how_often_it_occurs(
    name: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert line in lines_beside(name, tmp_path, capsys)


def test_a_fault_that_does_not_occur_is_not_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [",".join("01"[i != j] for j in range(3)) for i in range(3)]
    write_folder(folder / "distances", {"d1.csv": "\n".join(rows)})
    assert main([*BY_DISTANCES, "--header"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 8
    assert all(line.startswith(("s: ", "  ours: ")) for line in lines)


def test_a_system_without_a_common_document_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = lines_beside("system_without_any_document", tmp_path, capsys)
    assert "none: no row takes part, so that it has no line" in lines


def test_our_numbers_stand_under_those_of_the_scorer(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def ours(run: MatchedSystem, missing: Mapping[str, Any], threshold: float) -> dict[str, str]:
        calls.append((sorted(run.predicted), sorted(missing), threshold))
        return {"match_rate": "F1 1", "concordance": "F1 0.5"}

    monkeypatch.setattr(differences, "ours", ours)
    write_folder(folder / "gold", {"d2.csv": CSV, "d3.csv": ""})
    assert main(BY_DISTANCES) == 0
    lines = capsys.readouterr().err.splitlines()
    assert calls == [(["d1"], ["d2"], 0.1)]
    assert lines[:2] == ["s: match_rate 1, count 4", "  ours: F1 1"]
    at = lines.index("s: concordance 1, c25 1, c75 1")
    assert lines[at + 1] == "  ours: F1 0.5"


def test_a_summary_has_the_columns_of_the_file() -> None:
    assert ["pilot.names", *SeriesSummary.__dataclass_fields__] == COLUMNS.split(",")
    assert json.dumps(asdict(compare({"a.csv": CSV}, {"s": {"a.csv": CSV}})["s"])) == (
        '{"match_rate": 1.0, "count": 4, "parse_rate": 1.0, "concordance": 1.0, "c25": 1.0, '
        '"c75": 1.0, "mae": 0.0, "auc": 1.0}'
    )
