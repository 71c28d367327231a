"""Runs of the verbs that score, on the demo data and on a small file of every format."""

import re

from annotations.format_samples import SAMPLES as ANNOTATION_SAMPLES
from annotations.format_samples import TEXT
from golden.running import Run, run
from readers.samples import CONLL, DASHES, LINKED_ROWS, SAMPLES

FORMATS = ("text", "latex", "csv", "json")
TABLES = ("timelines", "annotations", "rubric")
"""Verbs whose tables are kept in every format; those of the others have the same shape."""
ALL = "demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl demo/lead.jsonl"
ONE = "demo/gold.jsonl demo/quick.jsonl"
TWO = "demo/gold.jsonl demo/careful.jsonl demo/quick.jsonl"
DATA = {
    "timelines": ALL,
    "ordering": ALL,
    "tlinks": TWO,
    "coreference": TWO,
    "annotations": ALL,
    "candidates": "demo/places.jsonl demo/linked.jsonl --feature link",
    "rubric": "demo/judgements.csv",
}
CASES = {
    "timelines": "chernobyl",
    "ordering": "chernobyl",
    "tlinks": "chernobyl",
    "coreference": "chernobyl",
    "annotations": "chernobyl-a1",
    "candidates": "harbour-1",
    "rubric": "all",
}
TAGS = {
    "timelines": "topic",
    "ordering": "target",
    "tlinks": "document",
    "coreference": "document",
    "annotations": "document",
    "candidates": "document",
    "rubric": "evaluator",
}
METRICS = {
    "timelines": [
        "align", "agreement", "align+", "align+m:1", "AR-1", "AR-2", "align(rouge=L)",
        "align+m:1(tie=nearest)", "align(text=reimpl)", "align(text=plain,beta=2)",
        "align(kernel=flat)", "align(text=snowball-english)", "concat", "concat(rouge=2)",
        "concat(rouge=L)", "exact-date", "exact-date(rouge=2)", "date-f1",
        "date-f1(tolerance=3)", "date-period", "date-distance", "date-distance-median",
        "align(overlap=meaning)",
    ],
    "ordering": [
        "semeval2015", "SemEval-full", "SemEval-order", "pairwise", "tau", "anchors",
        "anchors(credit=graded)",
    ],
    "tlinks": ["awareness", "TempEval-3", "TempEval-3-acl11", "pairwise", "events", "timexes"],
    "coreference": [
        "mentions", "strong_mention_match", "strong_typed_mention_match",
        "strong_linked_mention_match", "strong_all_match", "strong_link_match",
        "strong_nil_match", "strong_typed_all_match", "strong_typed_link_match",
        "strong_typed_nil_match", "muc", "b3", "b_cubed_plus", "ceafm", "typed_mention_ceaf",
        "mention_ceaf_plus", "typed_mention_ceaf_plus", "ceafe", "pairs", "blanc", "lea",
        "conll",
    ],
    "annotations": [
        "spans", "spans(matching=gate)", "spans-curve", "target-accuracy", "error-rate",
        "slot-errors", "slot-errors(partial=wrong)", "span-loss", "classification",
    ],
    "candidates": [
        "candidates-best", "candidates", "candidates-curve", "candidates-rank",
        "candidates-accuracy", "max-recall", "max-recall-curve",
    ],
    "rubric": ["eqs"],
}  # fmt: skip
PROTOCOLS = {
    "timelines": ["news-tls", "llm-tls", "tilse", "chronos", "sunset"],
    "ordering": ["semeval2015-complete", "semeval2015"],
    "tlinks": ["tempeval3", "tempeval3-acl11", "tempeval3-entities"],
    "coreference": ["conll2012", "reference-scorer", "document-means", "tac2014"],
    "annotations": ["spans", "gate"],
    "rubric": ["event-quality"],
}
LINKED = "coreference gold.tsv run.tsv"
ELSEWHERE = {
    "date-distance-median": f"timelines {ALL} --average micro",
    "events": "tlinks gold.tml run.tml",
    "timexes": "tlinks gold.tml run.tml",
    **{name: LINKED for name in METRICS["coreference"] if "_" in name},
    **{
        f"{n}(features=link)": "annotations demo/places.jsonl demo/linked.jsonl"
        for n in METRICS["candidates"]
    },
}
"""Metrics that need other data than the demo has for their verb."""
METRICS["candidates"] = [f"{name}(features=link)" for name in METRICS["candidates"]]
TIMES = ANNOTATION_SAMPLES["timeml"].text
SMALL = {
    "gold.tsv": LINKED_ROWS,
    "run.tsv": LINKED_ROWS.replace("Q1\t0.5", "Q2\t0.5"),
    "gold.tml": TIMES,
    "run.tml": TIMES.replace("ran</EVENT> aground", "ran aground</EVENT>").replace(
        'value="2021">', 'value="2020">'
    ),
}
OPTIONS = {
    "timelines": [
        "--golds pooled", "--missing skip", "--missing error", "--repeated first",
        "--dates interval", "--ceiling", "--all-variants", "--floor demo/articles.jsonl --seed 3",
        "--published timeline17", "--published crisis,metric=AR-1,year=2025..", "--counts", "--average micro",
        "--undefined skip",
    ],
    "ordering": ["--missing skip", "--no-anchors", "--ord", "--write-graphs graphs", "--average macro"],
    "tlinks": ["--method acl11", "--missing skip", "--align ids", "--vague keep"],
    "coreference": ["--missing skip", "--singletons drop", "--average macro"],
    "annotations": [
        "--matching gate", "--matching scored --alignment characters --candidates all",
        "--compare text", "--compare subsumes", "--type launch --type arrival",
        "--type launch=arrival", "--min-overlap 50", "--beta 2", "--thresholds 11",
        "--thresholds rounded", "--also span-loss --loss lenient-0-1",
        "--by type --by-side response", "--confusion --counts --by-type --tables tables.json",
        "--reference old=demo/lead.jsonl --tables tables.json", "--match-by name", "--texts demo/articles.jsonl --explain chernobyl-a1",
        "--texts demo/articles.jsonl --write-differences marked",
        "--texts demo/articles.jsonl --write-differences marked --write-format brat",
        "--texts demo/articles.jsonl --write-differences marked --write-format jsonl",
        "--missing skip", "--each-type --type launch --type arrival --tables tables.json",
    ],
    "candidates": [
        "--cut score", "--cut rank --matches", "--nil absent",
        "--key Place --element Place", "--compare text",
    ],
    "rubric": [
        "--events demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl",
        "--by kind", "--average micro",
    ],
}  # fmt: skip


def slug(text: str) -> str:
    """Options as a part of a file's name."""
    text = re.sub(r"demo/|\.jsonl", "", text).replace("+", "plus")
    return re.sub(r"[^\w.=]+", "-", text).strip("-")[:60]


def every_family() -> list[Run]:
    """The same questions to every verb that scores."""
    made = []
    for verb, data in DATA.items():
        call = f"{verb} {data}"
        names = FORMATS if verb in TABLES else ("text", "json")
        made += [run(f"{verb}-format-{name}", f"{call} -f {name}") for name in names]
        together: dict[str, list[str]] = {}
        for name in METRICS[verb]:
            together.setdefault(ELSEWHERE.get(name, call), []).append(f"-m '{name}'")
        made.append(
            run(
                f"{verb}-metrics",
                *(f"{where} {' '.join(names)} -f json" for where, names in together.items()),
                files=SMALL,
            )
        )
        for name in PROTOCOLS.get(verb, ()):
            made.append(run(f"{verb}-protocol-{name}", f"{call} --protocol {name} -f plain"))
        for words in OPTIONS[verb]:
            made.append(run(f"{verb}-option-{slug(words)}", f"{call} {words} -f json"))
        made += [
            run(f"{verb}-save", f"{call} --save saved.json"),
            run(f"{verb}-by", f"{call} --by {TAGS[verb]}"),
            run(
                f"{verb}-explain",
                f"{call} --explain {CASES[verb]}",
                f"{call} --explain all -f json",
            ),
            run(f"{verb}-report", f"{call} --report report.html --interval auto"),
            run(f"{verb}-interval", f"{call} --interval bootstrap --level 0.9 --seed 5"),
        ]
    return made


def every_format() -> list[Run]:
    """A small file of every format that is read, against a changed one."""
    made = []
    for name, sample in SAMPLES.items():
        top = sample.file.split("/")[0]
        files = {f"gold/{sample.file}": sample.text, f"predicted/{sample.file}": sample.other}
        paths = f"gold/{top} predicted/{top}" if sample.verb != "rubric" else f"predicted/{top}"
        made.append(
            run(
                f"{sample.verb}-reads-{slug(name)}",
                f"{sample.verb} {paths} -f json",
                f"{sample.verb} {paths} --explain all",
                f"validate gold/{sample.file}",
                files=files,
            )
        )
    for name, one in ANNOTATION_SAMPLES.items():
        files = {
            f"gold/{one.file}": one.text,
            f"predicted/{one.file}": one.text.replace("EVENT", "EVENTS"),
        }
        if name == "brat":
            files |= {"gold/ship.txt": TEXT, "predicted/ship.txt": TEXT}
        paths = f"gold/{one.file} predicted/{one.file}"
        made.append(
            run(
                f"annotations-reads-{name}",
                f"annotations {paths} --input-format {name} -f json",
                f"validate --as annotations gold/{one.file}",
                f"convert gold/{one.file} out-documents.jsonl --to documents",
                files=files,
            )
        )
    return made


LATER = f"2021-03-24\nA ship is aground.\n{DASHES}\n2021-03-29\nIt floats.\n{DASHES}\n"
TRIALS = {
    "one.txt": LATER,
    "two.txt": LATER.replace("floats", "is afloat"),
    "gold.txt": LATER.replace("-24", "-23"),
}
DENSE = "wsj_1\te1\te2\tb\nwsj_1\te2\te3\tv\nwsj_1\te1\tt0\ta\n"
MONTHS = '{"2021-03": ["A ship runs aground."], "2021-04-01": ["It is over."]}\n'

PLACES = "annotations demo/places.jsonl demo/linked.jsonl --type Place"

SPECIAL = [
    run(
        "timelines-trials",
        "timelines gold.txt ours=one.txt ours=two.txt --protocol llm-tls -f json",
        "timelines gold.txt ours=one.txt ours=two.txt --interval auto",
        files=TRIALS,
    ),
    run("timelines-by-case", f"timelines {ALL} --by case -f csv"),
    run("timelines-gate-failed", f"timelines {ALL} --fail-under 0.999 -f json"),
    run(
        "rubric-weights",
        *(f"rubric demo/judgements.csv --weight-sensitivity -f {how}" for how in ("text", "json")),
    ),
    run("rubric-gate-failed", "rubric demo/judgements.csv --fail-under 0.999 -f json"),
    run("timelines-undefined", f"timelines {ALL} --undefined zero -f csv"),
    run(
        "timelines-chunks",
        f"timelines {ALL} --engine here --chunk 1 --work work --progress json",
        f"timelines {ALL} --engine here --chunk 1 --work work --progress none -f csv",
        unkept="file work/",
    ),
    run(
        "timelines-processes",
        f"timelines {ALL} --engine processes --workers 2 --chunk 3 --progress none -f json",
    ),
    run(
        "timelines-packed",
        "timelines demo/gold.jsonl.gz demo/quick.jsonl.gz -f json",
        "annotations demo/gold.jsonl.gz demo/quick.jsonl.gz -f csv",
        "timelines demo/gold.jsonl.gz demo/quick.jsonl.gz --engine here --chunk 2 --progress none -f csv",
        packed=("demo/gold.jsonl", "demo/quick.jsonl"),
    ),
    run(
        "timelines-months",
        *(
            f"timelines months.json months.json --dates {how} -f json"
            for how in ("error", "first-day", "interval")
        ),
        files={"months.json": MONTHS},
    ),
    run(
        "timelines-hours",
        "timelines hours.csv model.csv --time-unit hour -m 'date-f1(grain=hour,tolerance=2h)' "
        "-m 'AR-1(grain=hour)' --by topic -f json",
        "timelines hours.csv model.csv -f json",
        files={
            "hours.csv": "date,summary\n-72,Fever at home\n0,Admitted\n1440,Discharged\n",
            "model.csv": "date,summary\n-70,Fever\n0.5,Admitted to hospital\n1400,Discharged\n",
        },
    ),
    run(
        "timelines-any-time",
        "timelines gold.json said.json --dates interval -f json",
        "timelines gold.json said.json -m 'AR-1(grain=year)' -m 'date-f1(grain=month)' "
        "--dates interval --lenient --explain all",
        files={
            "gold.json": '{"-0044-03-15": "Caesar is killed", "1939/1945": "The war", '
            '"2011-01-25T13:45+02:00": "Protests begin"}',
            "said.json": '{"44 BC": "Caesar dies", "1939-09-01": "A war begins", '
            '"2011-01-25": "Protests begin"}',
        },
    ),
    run(
        "timelines-languages",
        "timelines gold.jsonl said.jsonl -m 'AR-1(text=words)' -m 'AR-1(text=stems)' "
        "--by topic --by language -f json",
        "timelines gold.jsonl said.jsonl -m AR-1",
        files={
            "gold.jsonl": '{"topic":"es","language":"es","date":"2011-01-25","summary":"Las '
            'elecciones comienzan"}\n{"topic":"el","language":"el","date":"2011-01-25",'
            '"summary":"\u03a4\u03bf \u03ba\u03bf\u03b9\u03bd\u03bf\u03b2\u03bf\u03cd\u03bb\u03b9\u03bf"}\n',
            "said.jsonl": '{"topic":"es","date":"2011-01-25","summary":"La elecci\u00f3n '
            'comienza"}\n{"topic":"el","date":"2011-01-25","summary":"'
            '\u03a4\u039f \u039a\u039f\u0399\u039d\u039f\u0392\u039f\u03a5\u039b\u0399\u039f"}\n',
        },
    ),
    run(
        "timelines-own-kernel",
        f"timelines {ONE} -m 'align(kernel=./own.py:half)' -f json",
        files={"own.py": "def half(days):\n    return 0.5 ** days\n"},
    ),
    run(
        "annotations-evaluation",
        f"annotations {ONE} --evaluation list.json",
        f"annotations {ONE} --evaluation list.json --tables tables.json -f json",
        files={
            "list.json": '{"title": "Two", "average": "macro", "analyses": [{"name": "launches", "gold": {"type": "launch"}}, {"gold": {"type": "arrival"}}]}'
        },
    ),
    run(
        "annotations-curve",
        f"annotations {ONE} -m spans-curve",
        f"annotations {ONE} --thresholds all --report r.html",
    ),
    run(
        "tlinks-dense",
        "tlinks dense.txt dense.txt -f json",
        "tlinks dense.txt dense.txt --vague keep",
        files={"dense.txt": DENSE},
    ),
    run(
        "coreference-tac2014",
        "coreference gold.tsv run.tsv --protocol tac2014 -f json",
        "coreference gold.tsv run.tsv --protocol tac2014",
        files={"gold.tsv": LINKED_ROWS, "run.tsv": LINKED_ROWS.replace("Q1\t0.5", "Q2\t0.5")},
    ),
    run(
        "coreference-reference-scorer",
        "coreference gold.conll run.conll --protocol reference-scorer -f json",
        files={"gold.conll": CONLL, "run.conll": CONLL.replace("(1)|(2", "(0)|(2")},
    ),
    run(
        "tlinks-entities",
        "tlinks gold.tml run.tml --protocol tempeval3-entities -f json",
        "tlinks gold.tml run.tml --protocol tempeval3-entities --explain all",
        files=SMALL,
    ),
    run(
        "annotations-features",
        f"{PLACES} --feature link -f json",
        f"{PLACES} --feature link --nil absent -f json",
        f"{PLACES} --feature link --nil clusters -f json",
        f"{PLACES} --by-feature link -f json",
        f"{PLACES} --confusion-of link",
        f"{PLACES} --feature link --compare subsumes --also slot-errors -f csv",
    ),
    run(
        "annotations-within",
        f"{PLACES} --within :Place --containment contained -f json",
        f"{PLACES} --within :Place --containment coextensive -f json",
    ),
    run(
        "bayes-exact",
        f"timelines {ONE} -m date-f1 --interval bayes -f json",
        f"coreference {ONE} -m mentions --interval bayes -f json",
        f"ordering {ONE} -m anchors --interval bayes -f json",
    ),
    run(
        "rubric-chunks-jsonl",
        "rubric convert demo/judgements.csv -o all.jsonl",
        *(
            f"rubric all.jsonl --engine here --chunk 3 --progress none -f {form}"
            for form in ("json", "csv")
        ),
    ),
    run(
        "coreference-links",
        "coreference gold.jsonl run.jsonl --link-feature kbid -f json",
        files={
            "gold.jsonl": SAMPLES["linked annotations"].text,
            "run.jsonl": SAMPLES["linked annotations"].other,
        },
    ),
]

FAMILY_RUNS = [*every_family(), *every_format(), *SPECIAL]
