"""What is tried: for every target the good files to start from, and the calls that read them."""

import gzip
import io
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import annotations.format_samples as formats
from fuzz.mutations import mutate
from readers import samples
from readers.command_line import run

from chronoscore.demo import home
from chronoscore.families import NAMES

Files = Mapping[str, bytes]
Call = tuple[str, ...]


@dataclass(frozen=True)
class Target:
    """Good files, which of them are changed, and the calls of which one is made.

    `kind` says what is asked of a call that ends well:
    - `data`: a line that is no record was reported;
    - `document`: so was every change of a saved document's content;
    - `kept`: the answer is the one that the untouched files give.
    """

    name: str
    files: Files
    changed: tuple[str, ...]
    calls: tuple[Call, ...]
    weight: float = 1
    kind: str = "data"

    @property
    def group(self) -> str:
        """Which part of the product it is about."""
        if self.name.startswith("read "):
            return "readers alone"
        if self.name == "workbench":
            return "routes of the workbench"
        if self.kind in {"document", "kept"} or self.name.startswith("any archive"):
            return "saved documents and kept chunks"
        return "whole verbs"


@dataclass(frozen=True)
class Input:
    """One call with its files: everything that is needed to make it again."""

    target: str
    call: Call
    files: Files
    must_report: bool = False


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder: calls name files relative to it, so that messages and digests repeat."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def lay(folder: Path, files: Files) -> None:
    """Write files below a folder."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def gather(folder: Path) -> dict[str, bytes]:
    """Read all files below a folder."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _produced(files: Files, *calls: Call) -> dict[str, bytes]:
    """Make calls on good files, and return all files that are there afterwards."""
    with TemporaryDirectory() as name, inside(Path(name)):
        lay(Path(name), files)
        for call in calls:
            ran = run(*call)
            if ran.code != 0:
                raise AssertionError(f"{' '.join(call)}: exit {ran.code}: {ran.err}")
        return gather(Path(name))


TOPICS = ("apollo-11", "chernobyl")


def _few(name: str, key: str, values: tuple[str, ...], most: int) -> bytes:
    lines = (home() / name).read_text(encoding="utf-8").splitlines()
    found = {value: [x for x in lines if json.loads(x)[key].startswith(value)] for value in values}
    return "".join(f"{line}\n" for few in found.values() for line in few[:most]).encode()


@cache
def demo_files() -> Files:
    """A few lines of the bundled data: two topics, two systems, their articles and judgements."""
    made = {
        name: _few(name, "topic", TOPICS, 5)
        for name in ("gold.jsonl", "careful.jsonl", "quick.jsonl")
    }
    ids = {json.loads(line)["id"] for data in made.values() for line in data.splitlines()}
    for name in ("judgements.csv", "judge.csv"):
        head, *rows = (home() / name).read_text(encoding="utf-8").splitlines()
        chosen = [head, *(row for row in rows if row.partition(",")[0] in ids)]
        made[name] = "".join(f"{row}\n" for row in chosen).encode()
    return {
        **made,
        "articles.jsonl": _few("articles.jsonl", "id", TOPICS, 3),
        **{name: (home() / name).read_bytes() for name in ("places.jsonl", "linked.jsonl")},
    }


def _scoring() -> Iterator[Target]:
    """Every format of every family, as gold, as prediction and by `validate`."""
    for name, sample in samples.SAMPLES.items():
        bad, good = f"bad/{sample.file}", f"good/{sample.file}"
        first, other = (f"{side}/{Path(sample.file).parts[0]}" for side in ("bad", "good"))
        pairs = (("rubric", first),) * 2
        if sample.verb != "rubric":
            pairs = ((sample.verb, first, other), (sample.verb, other, first))  # type: ignore[assignment]
        yield Target(
            name,
            {bad: sample.other.encode(), good: sample.text.encode()},
            (bad,),
            (
                *pairs,
                (*pairs[1], "--lenient", "--explain", "all"),
                (*pairs[1], "--format", "json", "--interval", "auto", "--by", "case"),
                ("validate", bad),
                ("validate", "--as", sample.verb, first),
            ),
        )


_PYTHON_LIST = '"[\'One .\', ""Two \'s .""]"'
_DAYS = '[["2021-03-23T00:00:00", ["A ship runs aground."]],\n ["2021-03-29", ["It floats."]]]\n'
_COLLECTIONS = {
    "lists in tilse text": {"suez.txt": f"2021-03-23\n{_PYTHON_LIST}\n{samples.DASHES}\n"},
    "a sheet of lists": {"suez.csv": f"Date,Sentences\n2021-03-23,{_PYTHON_LIST}\n"},
    "a sheet of dates": {"suez.csv": "time,timeline\n\"['2021-03-23', '2021-03-29']\",x\n[],\n"},
    "a sheet of hours": {"suez.csv": "event,time\nAdmitted,0\nPain,-72.5\n"},
    "values over many lines": {"suez.jsonl": 2 * _DAYS},
    "two forms": {
        "suez/timelines.jsonl": _DAYS.replace("\n ", " "),
        "suez/timelines/desk.txt": samples.TILSE,
    },
    "sloppy dates": {
        "suez.tsv": "Date\tUpdate\tBackground\n[2021-03-23]\tA ship runs aground.\t\n"
    },
}
"""Files as public collections have them."""


def _collections() -> Iterator[Target]:
    for name, texts in _COLLECTIONS.items():
        files = {f"bad/{path}": text.encode() for path, text in texts.items()}
        good = {f"good/{path}": text.encode() for path, text in texts.items()}
        pair = ("timelines", "good", "bad")
        yield Target(
            name,
            {**files, **good},
            tuple(files),
            (
                ("timelines", "bad", "good", "--lenient", "--lists"),
                (*pair, "--lenient", "--form", "txt", "-m", "Date-F1"),
                (*pair, "--time-unit", "hour"),
                (*pair, "--repeated", "error", "--strict", "--form", "jsonl"),
                ("convert", "bad", "out", "--to", "tilse", "--lenient"),
            ),
            kind="any",
        )


def _annotation_formats() -> Iterator[Target]:
    for name, sample in formats.SAMPLES.items():
        beside = {"bad/ship.txt": formats.TEXT.encode()} if name == "brat" else {}
        good = {f"good/{key.removeprefix('bad/')}": data for key, data in beside.items()}
        bad = f"bad/{sample.file}"
        text = sample.text.encode()
        pair = (f"good/{sample.file}", bad)
        yield Target(
            f"annotations {name}",
            {**beside, **good, bad: text, f"good/{sample.file}": text},
            (bad, *beside),
            (
                ("annotations", *pair),
                ("annotations", *pair, "--lenient", "--by", "type", "--explain", "all"),
                ("annotators", *pair),
                ("validate", bad),
                ("convert", bad, "out.jsonl", "--to", "documents"),
            ),
        )


def _brat_links() -> Iterator[Target]:
    """Relations of brat, whose text is in a file of its own."""
    text, lines = "A ship runs cafés.".encode(), samples.BRAT.encode()
    files = {f"{side}/suez{suffix}": data for side in ("good", "bad")
             for suffix, data in ((".ann", lines), (".txt", text))}  # fmt: skip
    yield Target(
        "tlinks brat",
        files,
        ("bad/suez.ann", "bad/suez.txt"),
        (
            ("tlinks", "good", "bad"),
            ("tlinks", "bad", "good", "--lenient", "--explain", "all"),
            ("tlinks", "bad/suez.ann", "good/suez.ann", "--protocol", "matres"),
            ("tlinks", "good", "bad", "--closure", "toolkit", "--format", "json"),
            ("tlinks", "convert", "bad/suez.ann", "out", "--to", "timeml"),
            ("validate", "--as", "tlinks", "bad"),
        ),
    )


@cache
def _rubric_files() -> Files:
    sheet = {"judgements.csv": demo_files()["judgements.csv"]}
    calls = [
        ("rubric", "convert", "judgements.csv", "--to", kind, "-o", target)
        for kind, target in (
            ("xlsx", "judgements.xlsx"),
            ("jsonl", "judgements.jsonl"),
            ("tsv", "judgements.tsv"),
            ("label-studio", "studio"),
        )
    ]
    return _produced(sheet, *calls)


def _rubric() -> Iterator[Target]:
    sheets = _rubric_files()
    names = ("judgements.csv", "judgements.xlsx", "judgements.jsonl", "judgements.tsv")
    for name in (*names, "studio/tasks.json"):
        yield Target(
            f"rubric {name}",
            {key: sheets[key] for key in (name, *(["studio/config.xml"] if "/" in name else []))},
            (name,),
            (
                ("rubric", name),
                ("agreement", name, "--by", "article", "--windows", "2"),
                ("rubric", "convert", name, "--to", "jsonl", "-o", "out.jsonl"),
                ("validate", "--as", "rubric", name),
                ("rubric", name, "--report", "r.html"),
                ("rubric", name, "--weight-sensitivity"),
            ),
            weight=2,
        )
    files = demo_files()
    events = ("--events", "careful.jsonl", "--articles", "articles.jsonl")
    yield Target(
        "rubric events and articles",
        {key: files[key] for key in ("judgements.csv", "careful.jsonl", "articles.jsonl")},
        ("judgements.csv", "careful.jsonl", "articles.jsonl"),
        (
            ("rubric", "dates", "judgements.csv", *events),
            ("rubric", "template", "careful.jsonl", "--evaluator", "a", *events[2:], "-o", "out"),
            ("rubric", "template", "careful.jsonl", "--evaluator", "a", "--to", "csv", "-o", "out"),
            ("judge", "careful.jsonl", *events[2:], "--model", "m", "--base-url", "http://[::1]:9"
             , "--dry-run"),
            ("judge", "careful.jsonl", "--ask", "facts", "--model", "m", "--base-url"
             , "http://[::1]:9", "--replay"),
        ),
    )  # fmt: skip
    yield Target(
        "calibration",
        {key: files[key] for key in ("judgements.csv", "judge.csv")},
        ("judgements.csv", "judge.csv"),
        (("calibrate", "judgements.csv", "judge.csv", "--force"),),
    )


def _codebooks() -> Iterator[Target]:
    import msgspec

    from chronoscore.rubric.codebook import event_quality

    sheet = {"judgements.csv": demo_files()["judgements.csv"]}
    book = ("--codebook", "codebook.json")
    yield Target(
        "codebook",
        {**sheet, "codebook.json": msgspec.json.encode(event_quality())},
        ("codebook.json",),
        (
            ("rubric", "judgements.csv", *book),
            ("rubric", "judgements.csv", "--weight-sensitivity", *book),
            ("agreement", "judgements.csv", *book),
            ("validate", "--as", "rubric", "judgements.csv", *book),
            ("rubric", "convert", "judgements.csv", "--to", "xlsx", "-o", "out.xlsx", *book),
        ),
        weight=8,
        kind="any",
    )


PAIR = ("gold.jsonl", "careful.jsonl", "quick.jsonl")
PUBLISHED = b"system,model,AR-1,AR-1.P,protocol,source\nA,B,0.2,0.3,news-tls,Hu 2024\nC,,,0.4,,\n"
SCORED = ("timelines", "events", "ordering", "tlinks", "coreference", "annotations")
SHOWN: tuple[Call, ...] = (
    ("show", "r.json"),
    ("show", "r.json", "--format", "json"),
    ("show", "r.json", "--explain", "all"),
    ("show", "r.json", "--report", "r.html"),
    ("validate", "r.json"),
    ("cite", "r.json"),
    ("show", "r.json", "--signature"),
)


def _documents() -> Iterator[Target]:
    """Saved results of every family, and the documents that are made of several."""
    files = demo_files()
    inputs = {name: files[name] for name in PAIR}
    for family in SCORED:
        saved = _produced(inputs, (family, *PAIR, "--save", "r.json", "--interval", "auto"))
        yield _document(family, saved)
    sheet = {"judgements.csv": files["judgements.csv"]}
    yield _document(
        "rubric", _produced(sheet, ("rubric", "judgements.csv", "--save", "r.json")), "quick"
    )
    evaluated = _produced(
        {**inputs, **sheet},
        ("evaluate", *PAIR, "--judgements", "judgements.csv", "--save", "r.json"),
    )
    yield Target(
        "saved evaluation",
        {name: evaluated[name] for name in evaluated if name.startswith("r.")},
        ("r.json",),
        (*SHOWN[:2], *SHOWN[3:], ("show", "r.json", "--by-event")),
        weight=4,
        kind="document",
    )


def _archives() -> Iterator[Target]:
    """Results as archives: damage is refused, and wrong content with right checksums as well."""
    inputs = {name: demo_files()[name] for name in PAIR}
    further = {
        "timelines": ("--interval", "bootstrap", "--unit", "day"),
        "annotations": ("-m", "spans", "-m", "spans-curve", "--by", "type"),
    }
    for family, settings in further.items():
        saved = _produced(inputs, (family, *PAIR, *settings, "--save", "r.chronoscore"))
        for file, kind in (("r.chronoscore", "kept"), ("r.sealed", "any")):
            yield Target(
                f"{kind} archive of {family}",
                {file: saved["r.chronoscore"]},
                (file,),
                (
                    ("show", file),
                    ("show", file, "--format", "json"),
                    ("validate", file),
                    ("compare", file, "--format", "json"),
                    ("merge", file, "--format", "json"),
                    ("convert", file, "m.json", "--to", "json"),
                    ("cite", file),
                ),
                weight=6,
                kind=kind,
            )


def _published() -> Iterator[Target]:
    """Published results that a user adds to the table of a paper."""
    rows = [{"system": "A", "AR-1": 0.2, "source": "Hu 2024"}, {"system": "C", "AR-1.P": None}]
    for name, text in (("p.csv", PUBLISHED), ("p.json", json.dumps(rows, indent=1).encode())):
        inputs = {key: demo_files()[key] for key in PAIR}
        table = ("--published", name, "--format")
        calls = (("timelines", *PAIR, *table, "latex"), ("timelines", *PAIR, *table, "markdown"))
        yield Target(f"published {name}", {**inputs, name: text}, (name,), calls, kind="any")


def _floor() -> Iterator[Target]:
    """Articles that baselines are made from: ours, and those of news-tls."""
    files = demo_files()
    first = json.loads(files["articles.jsonl"].splitlines()[0])
    sentences = [{"raw": text, "pub_time": "2011-02-11"} for text in ("One.", "Two.")]
    article = {"id": 1, "time": "2011-02-11 00:00:00", "text": "One. Two.", "sentences": sentences}
    layouts = {
        "articles.jsonl": files["articles.jsonl"],
        f"t/{first['topic']}/articles.preprocessed.jsonl": json.dumps(article).encode() + b"\n",
        f"t/{first['topic']}/InputDocs/2011-02-11/1.txt": b"One .\nTwo .\n",
    }
    for name, text in layouts.items():
        inputs = {key: files[key] for key in PAIR}
        call = ("timelines", *PAIR, "--floor", name.partition("/")[0])
        yield Target(f"floor {name}", {**inputs, name: text}, (name,), (call,), kind="any")


def _result_files() -> Iterator[Target]:
    """A result file of news-tls, which is read beside the golds of its run."""
    half = {"precision": 0.5, "recall": 0.5, "f_score": 0.5}
    days = [["2021-03-23 00:00:00", ["A ship."]], ["2021-03-28 00:00:00", ["It floats."]]]
    result = [{"rouge_1": half, "rouge_2": half}, half, days]
    last = [result[0], {"precision": 1.0, "recall": 1.0, "f_score": 1.0}, [["2021-03-24", []]]]
    document = {"average": [half] * 3, "results": [result, last]}
    files = {
        "gold/suez/timelines.jsonl": samples.NEWS.encode(),
        "run.json": json.dumps(document, indent=1).encode(),
    }
    pair = ("timelines", "gold", "run.json")
    calls = (pair, (*pair, "--check-scores"), (*pair, "--dates", "interval", "-f", "json"))
    yield Target("result file", files, ("run.json",), calls, weight=2, kind="any")


def _document(family: str, saved: Files, system: str = "quick") -> Target:
    own = {name: data for name, data in saved.items() if name.startswith("r.")}
    several: tuple[Call, ...] = (
        ("compare", "r.json"),
        ("compare", "r.json", "--baseline", system, "--changes"),
        ("show", "r.json", "--decided", "careful", "quick"),
        ("leaderboard", "r.json", "-o", "site"),
        ("merge", "r.json", "--save", "m.json"),
    )
    return Target(
        f"saved {family}",
        own,
        ("r.json", "r.json", "r.json", *own),
        (*SHOWN, *several),
        weight=4,
        kind="document",
    )


def _kept() -> Iterator[Target]:
    """Work folders: what an earlier run has kept must give the same answer or be measured again."""
    inputs = {name: demo_files()[name] for name in PAIR}
    for family in ("timelines", "events", "annotations"):
        kept = ("--engine", "here", "--work", "w", "--chunk", "1")
        call = (family, *PAIR, *kept, "--format", "json")
        files = _produced(inputs, call)
        changed = tuple(name for name in files if name.startswith("w/"))
        yield Target(f"kept {family}", files, changed, (call,), weight=12, kind="kept")


def _packed() -> Iterator[Target]:
    import pyarrow as pa
    import pyarrow.parquet as pq
    import zstandard

    inputs = {name: demo_files()[name] for name in PAIR[:2]}
    lines = inputs[PAIR[1]].splitlines()
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([json.loads(line) for line in lines]), out)
    packed = {
        "careful.parquet": out.getvalue(),
        "careful.jsonl.gz": gzip.compress(inputs[PAIR[1]], mtime=0),
        "careful.jsonl.zst": zstandard.ZstdCompressor().compress(inputs[PAIR[1]]),
    }
    for name, data in packed.items():
        yield Target(
            f"packed {name}",
            {"gold.jsonl": inputs["gold.jsonl"], name: data},
            (name,),
            (
                ("timelines", "gold.jsonl", name),
                ("annotations", name, "gold.jsonl"),
                ("timelines", "gold.jsonl", name, "--engine", "here"),
                ("validate", name),
            ),
            weight=8 if name.endswith("parquet") else 2,
        )


def _large_and_several() -> Iterator[Target]:
    """Reading in chunks, ranked candidates, and everything at once."""
    files = demo_files()
    inputs = {name: files[name] for name in PAIR[:2]}
    both = PAIR[:2]
    yield Target(
        "chunks",
        inputs,
        both,
        tuple(
            (family, *both, "--engine", "here", "--chunk", "1")
            for family in ("timelines", "events", "ordering", "annotations", "coreference")
        ),
        weight=2,
    )
    yield Target(
        "candidates",
        {name: files[name] for name in ("places.jsonl", "linked.jsonl")},
        ("places.jsonl", "linked.jsonl"),
        (
            ("candidates", "places.jsonl", "linked.jsonl", "--feature", "link"),
            ("annotations", "places.jsonl", "linked.jsonl", "--type", "Place", "--by", "link"),
        ),
    )
    yield Target(
        "everything",
        {**inputs, "judgements.csv": files["judgements.csv"]},
        (*both, "judgements.csv"),
        (
            ("evaluate", *both, "--judgements", "judgements.csv", "--by-event"),
            ("evaluate", *both, "--save", "e.json", "--report", "r.html"),
            ("timelines", *both, "--report", "r.html", "--save", "r.json", "--dates", "interval"),
            ("convert", "careful.jsonl", "out", "--to", "tilse"),
            ("convert", "careful.jsonl", "out.csv", "--to", "csv"),
        ),
    )
    events = [json.loads(line) for line in files["careful.jsonl"].splitlines()]
    verdicts = [
        {"event": event["id"], "criterion": criterion, "verdict": "supported", "by": "ana"}
        for event in events[:3]
        for criterion in ("what", "when")
    ]
    given = b"".join(json.dumps(verdict).encode() + b"\n" for verdict in verdicts)
    changed = {**inputs, "articles.jsonl": files["articles.jsonl"], "verdicts.jsonl": given}
    support = ("evaluate", *both, "--articles", "articles.jsonl", "--verdicts", "verdicts.jsonl")
    yield Target(
        "support",
        changed,
        ("careful.jsonl", "articles.jsonl", "verdicts.jsonl"),
        ((*support, "--lenient", "--by-event"), (*support, "--scope", "collection")),
    )


def _events() -> Iterator[Target]:
    """Events with all their fields, the verdicts on them, and files of other kinds as events."""
    rows = [json.loads(line) for line in demo_files()["careful.jsonl"].splitlines()]
    labels = ("begins-on", "ends-on", "contains-1")
    for at, row in enumerate(rows):
        row |= {"facts": [row["text"], "It was so."], "labels": [labels[at % 3]], "weight": 1 + at}
    undated = {name: value for name, value in rows[0].items() if name != "date"} | {"id": "late"}
    others = [{**row, "id": f"{row['id']}-b", "timeline": "b"} for row in rows[::2]]
    words = ("same", "part", "different", "contradicts")
    verdicts = [
        {"gold": row["id"], "predicted": row["id"], "verdict": words[at % 4], "by": "ana"}
        for at, row in enumerate(rows)
    ] + [{"gold": rows[0]["id"], "predicted": "late", "verdict": "part", "probability": 0.5,
          "by": "small@5e1f0a2b", "topic": rows[0]["topic"]}]  # fmt: skip

    def lines(some: list[dict[str, object]]) -> bytes:
        return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in some).encode()

    files = {
        "gold.jsonl": lines([*({**row, "timeline": "a"} for row in rows), *others]),
        "told.jsonl": lines([*rows, undated]),
        "verdicts.jsonl": lines(verdicts),
    }
    pair = ("events", "gold.jsonl", "told.jsonl")
    every = ("event-f1", "event-facts", "salient-recall", "treatment-span", "event-grouped")
    fields = tuple(word for name in every for word in ("-m", f"{name}(labels=compatible)"))
    strict = "(verdicts=verdicts.jsonl)"
    yield Target(
        "events of all fields",
        files,
        ("gold.jsonl", "told.jsonl"),
        (
            pair,
            (*pair, *fields, "--lenient", "--explain", "all"),
            (*pair, "--protocol", "timeseries", "--format", "json"),
            (*pair, "--protocol", "chemotimelines-2024", "--by", "topic", "--interval", "auto"),
            (*pair, "--protocol", "events-words", "--engine", "here", "--chunk", "1"),
            (
                *pair,
                "-m",
                "event-timed(closeness=overlap,match=greedy)",
                "--duplicates",
                "collapse",
            ),
            ("events", "told.jsonl", "gold.jsonl", "--lenient", "--save", "r.json"),
        ),
        weight=8,
    )
    yield Target(
        "verdicts on events",
        files,
        ("verdicts.jsonl",),
        (
            (*pair, "-m", f"event-strict{strict}", "--explain", "all"),
            (*pair, "-m", f"event-f1{strict}", "-m", "event-timed", "--lenient"),
        ),
        weight=6,
        kind="any",
    )
    for name, sample in samples.SAMPLES.items():
        if sample.verb == "timelines":
            bad, good = f"bad/{sample.file}", f"good/{sample.file}"
            first, other = (f"{side}/{Path(sample.file).parts[0]}" for side in ("bad", "good"))
            yield Target(
                f"events of {name}",
                {bad: sample.other.encode(), good: sample.text.encode()},
                (bad,),
                (
                    ("events", first, other),
                    ("events", other, first, "--lenient", "--explain", "all"),
                    ("events", other, first, "--time-unit", "hour"),
                ),
            )


def _times() -> Iterator[Target]:
    """Times of every kind, and offsets of a unit."""
    calendar = (
        *("2011-01-25", "2011-01-25T13:45:30.5+05:30", "2011-W05", "2011-Q1", "201X", "1985/.."),
        *("-0044-03-15", "Y170000002", "2004-06~", "25 January 2011", "c. 1850", "2011年1月25日"),
    )
    offsets = ("-72", "1.5", "01:02:03", "PT72H", "24/48", "5/..", "~72", "1,032", "0 to 24", "3 d")
    for name, times, words in (
        ("dates", calendar, ("--dates", "interval")),
        ("offsets", offsets, ("--time-unit", "hour", "--dates", "interval")),
    ):
        rows = "".join(f'"{time}",They met.\n' for time in times)
        files = {f"{side}.csv": f"date,summary\n{rows}".encode() for side in ("gold", "said")}
        metrics = ("-m", "date-f1(grain=hour,tolerance=2h)", "-m", "AR-1", "-m", "date-distance")
        yield Target(
            name,
            files,
            ("gold.csv", "said.csv"),
            (
                ("timelines", *files, "--lenient", *words, *metrics, "--report", "r.html"),
                ("timelines", *files, *words, "--explain", "all"),
            ),
            weight=2,
        )


def _clinical() -> Iterator[Target]:
    """Tuples of ChemoTimelines and textual time series, as events and by the drop-ins."""
    told = {
        "p1": [["cisplatin", "begins-on", "2013-04-11"], ["chemo", "contains-1", "2013-w05"]],
        "p2": [["taxol", "ends-on", "2013-04"], ["taxol", "contains-1", "2014-01-02t06:47"]],
        "p3": [],
    }
    tuples = json.dumps(told, indent=1).encode()
    files = {"gold.json": tuples, "said.json": tuples, "ids.txt": b"p1\np2\np3\n"}
    paths = ("--gold_path", "gold.json", "--pred_path", "said.json", "--all_id_path", "ids.txt")
    pair = ("events", "gold.json", "said.json", "--protocol")
    yield Target(
        "tuples of drugs",
        files,
        ("gold.json", "said.json", "ids.txt"),
        (
            (*pair, "chemotimelines-2024"),
            (*pair, "chemotimelines-2025", "--lenient", "--explain", "all"),
            ("chronoscore.compat.chemotimelines.__main__", *paths, "--strict"),
            ("chronoscore.compat.chemotimelines.__main__", *paths, "--relaxed_to", "month"),
        ),
        weight=2,
        kind="any",
    )
    rows = b'event,time\nfever,-24\n"pain, severe",0\nrash,1.5\n'
    distances = b"0,1,1,1\n1,0.02,1,1\n1,1,0.05,1\n1,1,1,0\n"
    matches = b"common.bns,idx,match.idx,error.rate\nd,1,1,0\nd,2,2,0.02\nd,3,NA,Inf\nd,4,4,0\n"
    series = {
        "gold/d.csv": rows,
        "said/d.csv": rows,
        "far/d.csv": distances,
        "matches.csv": matches,
    }
    scored = ("events", "gold", "said", "--protocol", "timeseries", "--time-unit", "hour")
    drop_in = ("chronoscore.compat.t2s2.__main__", "gold", "s=said")
    yield Target(
        "textual time series",
        series,
        tuple(series),
        (
            scored,
            (*scored, "--lenient", "--header", "no", "--explain", "all"),
            (*drop_in, "--distances", "s=far"),
            (*drop_in, "--distances", "s=far", "--header", "--lap"),
            (*drop_in, "--matches", "s=matches.csv"),
        ),
        weight=2,
        kind="any",
    )


def _nodes() -> Iterator[Target]:
    """Timelines of DTELS."""
    nodes = [
        {"id": at, "time": f"2011-02-1{at}", "summary": text, "atoms": [text]}
        for at, text in enumerate(("Mubarak resigns.", "The army takes over."))
    ]
    article = {"time": "2011-02-11", "title": "Cairo", "content": "Mubarak resigns. Crowds cheer."}
    levels = {"5": {"timeline": nodes[:1]}}
    gold = {"id": "t", "timeline": nodes, "meta_timeline": levels, "docs": [article]}
    files = {
        "gold.jsonl": json.dumps(gold).encode() + b"\n",
        "said.jsonl": json.dumps({"id": "t", "timeline": nodes[:1]}).encode() + b"\n",
    }
    drop_in = ("chronoscore.compat.dtels.command", *files)
    calls = (drop_in, (*drop_in, "--level", "5", "--dropped", "skip"))
    yield Target("nodes of timelines", files, tuple(files), calls, weight=2, kind="any")


def _python() -> Iterator[Target]:
    """Values in memory: what the files hold, as a program would give it."""
    records = {
        name.replace("jsonl", "json"): b"[" + b",".join(demo_files()[name].splitlines()) + b"]"
        for name in PAIR[:2]
    }
    days = dict.fromkeys(records, samples.JSON.encode())
    for name, files in (("records", records), ("days", days)):
        yield Target(f"{name} in memory", files, tuple(files), (("python", *files),), weight=2)


def _workbench() -> Iterator[Target]:
    yield Target("workbench", {}, (), (("workbench",),), weight=20)


MAKERS: tuple[Callable[[], Iterator[Target]], ...] = (
    _scoring,
    _collections,
    _annotation_formats,
    _brat_links,
    _rubric,
    _codebooks,
    _documents,
    _archives,
    _published,
    _floor,
    _result_files,
    _kept,
    _packed,
    _large_and_several,
    _events,
    _times,
    _clinical,
    _nodes,
    _python,
    _workbench,
)


READERS = 3
"""Inputs that are read and no more, for each that goes through a whole verb or route."""


def _readers(whole: list[Target]) -> Iterator[Target]:
    """The files of every verb that scores, for its reader alone, which is ten times as fast."""
    read = {}
    for target in whole:
        calls = set()
        for verb, *words in target.calls:
            paths = words[: 1 if verb == "rubric" else 2]
            if verb in NAMES and target.kind == "data" and all(_laid(target, x) for x in paths):
                calls.add(("read", verb, *paths))
        if calls:
            read[target.name] = (target, sorted(calls))
    weight = READERS * sum(target.weight for target in whole) / len(read)
    for name, (target, calls_of) in read.items():
        yield replace(
            target,
            name=f"read {name}",
            calls=(*calls_of, *((*call, "--lenient") for call in calls_of)),
            weight=weight,
        )


def _laid(target: Target, path: str) -> bool:
    """Whether a word of a call is a file of the target, or a folder of its files."""
    return any(Path(name).is_relative_to(path) for name in target.files)


@cache
def targets() -> Mapping[str, Target]:
    """All targets by name."""
    whole = [target for maker in MAKERS for target in maker()]
    return {target.name: target for target in (*whole, *_readers(whole))}


def draw(seed: int, number: int, only: str = "") -> Input:
    """Make an input; the same seed and number make the same one."""
    rng = random.Random(f"{seed}/{number}")
    chosen = [target for target in targets().values() if only in target.name]
    target = rng.choices(chosen, [one.weight for one in chosen])[0]
    call = rng.choice(target.calls)
    if target.name == "workbench":
        return Input(target.name, (*call, str(rng.randrange(2**32))), {})
    files = dict(target.files)
    must_report = False
    changed = target.changed
    if target.kind == "data":  # what a call does not read it need not report
        changed = tuple(x for x in changed if any(Path(x).is_relative_to(arg) for arg in call))
    for name in sorted({rng.choice(changed) for _ in range(rng.choice((1, 1, 1, 2)))}):
        mutation = mutate(name, files[name], rng)
        files[name] = mutation.data
        must_report = must_report or mutation.must_report
    return Input(target.name, call, files, must_report and target.kind == "data")
