"""Runs of the verbs that do something else than score, of the drop-ins, and every help text."""

from golden.running import Run, run
from golden.table_families import ALL, LATER, ONE, TWO
from readers.samples import TAB, TIMEML

TABLES = ("text", "markdown", "latex", "csv", "json")
TWO_TABLES = ("text", "json")
SHEETS = "demo/judgements.csv demo/judge.csv"
EVENTS = "--events demo/careful.jsonl --events demo/quick.jsonl --events demo/lead.jsonl"
FACTS = "judge few.jsonl --ask facts --model stub --base-url <server> --max-wait 0 --jobs 1"
JUDGE = "judge few.jsonl --articles demo/articles.jsonl --model stub --base-url <server> --max-wait 0 --jobs 1 -o judged.jsonl"
FEW = '{"id":"q1","date":"1969-07-16","type":"launch","text":"Apollo 11 lifts off.","article":"apollo-11-a1"}\n{"id":"q2","date":"1969-07-20","type":"landing","text":"The Eagle lands on the Moon.","article":"apollo-11-a2"}\n'
NODES = {
    "gold.jsonl": '{"id": 1, "timeline": [{"id": "a", "time": "2011-02-10", "summary": "Mubarak speaks to the nation.", "atoms": ["Mubarak speaks"]}, {"id": "b", "time": "2011-02-11", "summary": "Mubarak resigns as president.", "atoms": ["Mubarak resigns", "the army takes over"]}], "meta_timeline": {"5": {"timeline": [{"id": "b5", "time": "2011-02-11", "summary": "Mubarak resigns.", "atoms": ["Mubarak resigns"]}]}}, "docs": [{"time": "2011-02-11", "title": "Cairo", "content": "Mubarak resigns, and the army takes over."}]}\n',
    "run.jsonl": '{"id": 1, "timeline": [{"id": "p", "time": "2011-02-12", "summary": "President Mubarak resigns.", "atoms": ["Mubarak resigns", "crowds cheer"]}]}\n',
}
TUPLES = {
    "gold.json": '{"p1": [["cisplatin", "begins-on", "2013-04-11"], ["cisplatin", "ends-on", "2013-06-20"], ["taxol", "contains-1", "2013-w05"]], "p2": [["taxol", "contains-1", "2013-04"]], "p3": []}',
    "run.json": '{"p1": [["cisplatin", "contains-1", "2013-04-20"], ["cisplatin", "contains-1", "2013-04-20"], ["taxol", "contains-1", "2013-01-29"]], "p2": [["taxol", "contains-1", "2013-04"]], "p3": []}',
    "wrong.json": '{"p1": [["cisplatin", "contains-1", "whenever"]], "p2": [["taxol", "contains-1", "2013-04"]], "p3": []}',
    "ids.txt": "p1\np2\np3\n",
}
SERIES = {
    "gold/a.csv": "event,time\nfever,-24\ncough,0\nshock,48\n",
    "gold/b.csv": "event,time\nrash,5\n",
    "run/a.csv": "event,time\nfever,-24\nshock,40\ncough,unknown\nedema,7\n",
    "far/a.csv": "0,1,1,1,1\n1,0,1,1,1\n1,1,1,0.05,1\n1,1,0.02,1,1\n",
    "matches.csv": "common.bns,idx,match.idx,error.rate\na,1,1,0\na,2,2,0\na,3,4,0.05\na,4,3,0.02\n",
}
COMPARED = {
    "timelines": f"compare timelines {ALL}",
    "ordering": f"compare ordering {ALL}",
    "annotations": f"compare annotations {ALL}",
    "coreference": f"compare coreference {TWO}",
    "tlinks": f"compare tlinks {TWO}",
    "rubric": "compare rubric demo/judgements.csv",
}
VERBS = (
    "evaluate", "timelines", "events threshold", "ordering", "tlinks", "tlinks convert", "coreference", "annotations",
    "candidates", "annotators", "rubric", "rubric template", "rubric dates", "rubric convert",
    "judge", "agreement", "calibrate", "correlate", "compare", "leaderboard", "merge", "metrics",
    "show", "cite", "validate", "convert", "metric-tests", "reproduce", "serve", "serve backup",
    "serve restore", "demo", "completion",
)  # fmt: skip
LISTED = (
    "AR-1", "align+m:1(rouge=2)", "concat", "exact-date", "date-f1", "date-period",
    "date-distance", "date-distance-median", "semeval2015", "tau", "anchors", "awareness",
    "events", "timexes", "mentions", "muc", "b3", "ceafm", "ceafe", "pairs", "blanc", "lea",
    "conll", "spans", "spans-curve", "target-accuracy", "error-rate", "slot-errors", "span-loss",
    "candidates", "candidates-best", "candidates-curve", "candidates-rank",
    "candidates-accuracy", "max-recall", "max-recall-curve", "classification", "eqs",
)  # fmt: skip
CONVERTED = (
    "tilse",
    "json",
    "list",
    "chronos",
    "news-tls",
    "events",
    "summaries",
    "days",
    "csv",
    "tsv",
    "semeval",
    "timeml",
    "documents",
    "brat",
    "bdoc",
)


def formats(name: str, command: str, *before: str, names: tuple[str, ...] = TABLES) -> list[Run]:
    """A command in each of its formats."""
    return [run(f"{name}-format-{form}", *before, f"{command} -f {form}") for form in names]


EVALUATE = f"evaluate {TWO} --judgements demo/judgements.csv"
SCORED = f"timelines {ALL} --save saved.json"
THRESHOLD = "events threshold demo/gold.jsonl --lowest 0.2 --highest 0.3 --step 0.02"
VERDICTS = "".join(
    f'{{"gold":"desk-{topic}-0{gold}","predicted":"quick-{topic}-0{predicted}","verdict":"{word}","by":"ana"}}\n'
    for topic in ("apollo-11", "titanic-sinking")
    for gold, predicted, word in ((1, 1, "same"), (3, 3, "part"), (3, 1, "different"))
)
CORRELATE = f"correlate saved.json --people demo/judgements.csv --level event {EVENTS}"

VERB_RUNS = [
    *formats("evaluate", EVALUATE, names=TWO_TABLES),
    run(
        "evaluate-by-event",
        f"{EVALUATE} --by-event -f csv",
        f"{EVALUATE} --full",
    ),
    run(
        "evaluate-interval",
        f"{EVALUATE} --interval bootstrap --seed 3 --level 0.8",
    ),
    run(
        "evaluate-articles",
        f"evaluate {ALL} --articles demo/articles.jsonl --only timelines",
        f"evaluate {TWO} --articles demo/articles.jsonl --scope collection --by-event -f csv",
        f"evaluate {TWO} --articles demo/articles.jsonl --only timelines --save saved.json --report "
        "report.html",
    ),
    run("calibrate-shares", "calibrate demo/judgements.csv demo/judge.csv --shares -f csv"),
    run("evaluate-save", f"{EVALUATE} --save saved.json --report report.html"),
    *formats("compare-timelines", COMPARED["timelines"]),
    *(
        run(f"compare-{name}", f"{line} -f json")
        for name, line in COMPARED.items()
        if name != "timelines"
    ),
    run(
        "compare-report",
        f"compare timelines {ALL} --report every.html",
        f"compare timelines {ALL} -m date-distance --baseline quick --report one.html",
    ),
    run(
        "compare-baseline",
        f"{COMPARED['timelines']} --baseline lead -f json",
        f"{COMPARED['rubric']} --baseline lead -f markdown",
    ),
    run(
        "compare-bootstrap",
        f"{COMPARED['timelines']} --test bootstrap -f json",
        f"{COMPARED['annotations']} --test bootstrap --seed 9 -f csv",
    ),
    run(
        "compare-correction",
        f"{COMPARED['timelines']} --correction bh -f json",
        f"{COMPARED['timelines']} --correction none -f csv",
    ),
    run("compare-metric", f"{COMPARED['timelines']} -m AR-1 --unit topic --level 0.9 -f json"),
    run("compare-by", f"{COMPARED['annotations']} --by type -f json"),
    run(
        "compare-saved",
        "timelines demo/gold.jsonl demo/careful.jsonl --save a.json",
        "timelines demo/gold.jsonl demo/quick.jsonl --save b.json",
        "compare a.json b.json -f json",
        "compare a.json b.json --changes",
        unkept="matches|texts",
    ),
    run(
        "show-timelines",
        SCORED,
        *(f"show saved.json {words}" for words in ("-f text", "--explain all", "--by case -f csv")),
        unkept="file",
    ),
    run(
        "cite-timelines",
        SCORED,
        "cite saved.json",
        "cite saved.json -f text",
        "cite",
        "show saved.json --signature",
        "show saved.json --decided careful quick",
        unkept="file",
    ),
    run(
        "show-evaluate",
        f"{EVALUATE} --save saved.json",
        *(f"show saved.json {words}" for words in ("-f text", "-f json", "--by-event")),
        "cite saved.json",
        unkept="file",
    ),
    run(
        "show-compare",
        "timelines demo/gold.jsonl demo/careful.jsonl --save a.json",
        "timelines demo/gold.jsonl demo/quick.jsonl --save b.json",
        "show a.json --compare b.json",
        "show a.json --compare b.json -f json",
        unkept="file",
    ),
    run(
        "merge-parts",
        "timelines gold/a.txt run/a.txt --save a.json",
        "timelines gold/b.txt run/b.txt --save b.json",
        "merge a.json b.json --save all.json -f json",
        "merge a.json a.json",
        "show all.json",
        files={
            f"{side}/{one}.txt": text
            for side, text in (("gold", LATER.replace("-24", "-23")), ("run", LATER))
            for one in "ab"
        },
    ),
    run(
        "leaderboard-site",
        "timelines demo/gold.jsonl demo/careful.jsonl --save results/demo/careful.json",
        "timelines demo/gold.jsonl demo/quick.jsonl --save results/demo/quick.json",
        "leaderboard results -o site",
        unkept="file results",
    ),
    run(
        "leaderboard-titled",
        SCORED,
        "rubric demo/judgements.csv --save rated.json",
        "leaderboard saved.json rated.json -o site --title Ours --seed 3",
        unkept="file (saved|rated)",
    ),
    *formats("agreement", "agreement demo/judgements.csv", names=TWO_TABLES),
    run("agreement-judge", f"agreement {SHEETS}"),
    run(
        "agreement-by",
        "agreement demo/judgements.csv --by system -f json",
        "agreement demo/judgements.csv --by article --windows 3",
        "agreement demo/judgements.csv --windows rounds",
    ),
    run(
        "agreement-coefficients",
        "agreement demo/judgements.csv --coefficient all -f json",
        "agreement demo/judgements.csv --coefficient 'alpha nominal'",
    ),
    run(
        "agreement-adjudicated",
        "agreement demo/judgements.csv --adjudicated ana -f json",
        "agreement demo/judgements.csv --adjudicated ana --threshold 0.9 --most 3",
    ),
    *formats("calibrate", f"calibrate {SHEETS} --judge model-j", names=TWO_TABLES),
    run(
        "calibrate-difference",
        f"calibrate {SHEETS} --difference careful quick -f json",
        f"calibrate {SHEETS} --people ana --difference careful lead",
    ),
    run("calibrate-report", f"calibrate {SHEETS} --report report.html"),
    run("calibrate-force", f"calibrate {SHEETS} --force", f"calibrate {SHEETS} --level 0.8 -f csv"),
    *formats("correlate", CORRELATE, SCORED, names=("text",)),
    run(
        "correlate-levels",
        SCORED,
        *(
            f"correlate saved.json --people demo/judgements.csv {EVENTS} --level {level} -f json"
            for level in ("event", "system")
        ),
        unkept="file",
    ),
    *formats("annotators", f"annotators {TWO}", names=TWO_TABLES),
    run(
        "annotators-labels",
        "annotators ana=demo/careful.jsonl ben=demo/quick.jsonl --labels",
        f"annotators {TWO} --labels -f json",
        f"annotators {TWO} --type launch -f csv",
        "annotators demo/places.jsonl demo/linked.jsonl --feature link --type Place -f json",
        "annotators demo/places.jsonl demo/linked.jsonl --label link",
    ),
    *formats("events-threshold", f"{THRESHOLD} --chance 0.2"),
    run(
        "events-threshold-verdicts",
        f"{THRESHOLD} demo/quick.jsonl --verdicts verdicts.jsonl",
        f"{THRESHOLD} demo/quick.jsonl --verdicts verdicts.jsonl --part skip -f json",
        f"correlate {ONE} --verdicts verdicts.jsonl -m event-f1 -f json",
        files={"verdicts.jsonl": VERDICTS},
    ),
    run(
        "rubric-template",
        "rubric template demo/quick.jsonl --articles demo/articles.jsonl --evaluator ana --evaluator ben --to csv -o sheets",
        "rubric template demo/quick.jsonl --articles demo/articles.jsonl --evaluator ana --evaluator ben --evaluator cy --overlap 1 --calibration 4 --seed 3 --to csv -o others",
    ),
    run(
        "rubric-template-xlsx",
        "rubric template demo/quick.jsonl --articles demo/articles.jsonl --evaluator ana --evaluator ben -o books",
    ),
    run(
        "rubric-dates",
        "rubric dates 'last Monday' --published 2010-04-21",
        "rubric dates yesterday 'two weeks ago' 'in May' 'next year' --published 2010-04-21",
        f"rubric dates demo/judgements.csv {EVENTS} --articles demo/articles.jsonl",
    ),
    *(
        run(
            f"rubric-convert-{to}",
            f"rubric convert {SHEETS} --to {to} -o out.{to}",
            f"rubric out.{to} -f json",
        )
        for to in ("csv", "tsv", "xlsx", "jsonl")
    ),
    run(
        "rubric-convert-label-studio",
        "rubric convert demo/judgements.csv --to label-studio -o project --articles demo/articles.jsonl",
    ),
    *(run(f"convert-to-{to}", f"convert demo/gold.jsonl out --to {to}") for to in CONVERTED),
    *(
        run(f"tlinks-convert-{to}", f"tlinks convert demo/gold.jsonl out.{to} --to {to}")
        for to in ("tsv", "jsonl", "timeml")
    ),
    run(
        "validate-all",
        f"validate {ALL}",
        "validate --as rubric demo/judgements.csv",
        "validate demo/judge.csv demo/articles.jsonl demo/places.jsonl",
        SCORED,
        "validate saved.json",
        "validate --as timelines demo/gold.jsonl",
        "validate --as result saved.json",
        unkept="file",
    ),
    run(
        "metric-tests-chosen",
        "metric-tests demo/gold.jsonl -m AR-2 -m 'date-f1(tolerance=3)' --seed 7 -f json",
    ),
    run(
        "metric-tests-report",
        "metric-tests demo/gold.jsonl -m AR-1 -m date-f1 --report days.html",
        "metric-tests demo/gold.jsonl -m AR-1 -m event-f1 --report entries.html",
    ),
    run(
        "metric-tests-entries",
        "metric-tests demo/gold.jsonl --damages entries",
        "metric-tests demo/gold.jsonl -m event-timed -m event-rates --seed 7 -f csv",
        "metric-tests demo/gold.jsonl -m event-f1 --rewrites demo/careful.jsonl -f json",
        "metric-tests demo/gold.jsonl --damages days --rewrites demo/careful.jsonl",
        "metric-tests demo/gold.jsonl -m tau",
    ),
    run(
        "metrics-all",
        "metrics",
        *(
            f"metrics --family {one}"
            for one in ("timelines", "ordering", "tlinks", "coreference", "annotations", "rubric")
        ),
    ),
    run("metrics-each", *(f"metrics '{name}'" for name in LISTED)),
    run("demo-all", "demo --data copy", "demo --report reports"),
    *(run(f"completion-{shell}", f"completion {shell}") for shell in ("bash", "zsh", "fish")),
    run(
        "judge-dry",
        f"{JUDGE} --dry-run".replace("<server>", "http://127.0.0.1:1"),
        f"{JUDGE} --per-criterion --samples 3 --dry-run".replace("<server>", "http://127.0.0.1:1"),
        files={"few.jsonl": FEW},
    ),
    run(
        "judge-stub",
        JUDGE,
        f"{JUDGE} --replay -f json",
        f"{JUDGE} --price-in 1 --price-out 2 -f csv",
        "rubric judged.jsonl -f json",
        files={"few.jsonl": FEW},
        unkept="cache",
    ),
    run(
        "judge-samples",
        f"{JUDGE} --per-criterion --samples 2 --system quick --evaluator model",
        files={"few.jsonl": FEW},
        unkept="cache",
    ),
    run(
        "judge-facts",
        f"{FACTS} --dry-run".replace("<server>", "http://127.0.0.1:1"),
        FACTS,
        f"{FACTS} --replay -f json",
        f"{FACTS} -o again.jsonl --again --cache few.facts.cache -f csv",
        files={"few.jsonl": FEW},
        unkept="cache",
    ),
    run("serve-errors", "serve backup copy.db", "serve restore none.db", "serve --port 99999"),
    run(
        "signature-again",
        SCORED,
        "timelines demo/gold.jsonl demo/quick.jsonl --from-signature 'nonsense'",
        unkept="file",
    ),
    run("cli-version", "--version"),
    run("cli-none", ""),
    *(run(f"help-{verb.replace(' ', '-')}", f"{verb} --help") for verb in VERBS),
    run("help-all", "--help"),
    run(
        "compat-semeval2015",
        *(
            f"python -m chronoscore.compat.semeval2015 {ord_}{rest}"
            for ord_ in ("", "--ord ")
            for rest in ("gold run", "--single one a.txt b.txt")
        ),
        "python -m chronoscore.compat.semeval2015 gold",
        "python -m chronoscore.compat.semeval2015 --help",
        files={
            "gold/suez.txt": TAB,
            "gold/other.txt": TAB,
            "run/suez.txt": TAB.replace("2021-03-23", "2021-03-24"),
            "one/a.txt": TAB,
            "one/b.txt": TAB.replace("2\t2021", "1\t2021"),
        },
    ),
    run(
        "compat-tempeval3",
        *(
            f"python -m chronoscore.compat.tempeval3 {rest}"
            for rest in (
                "gold run",
                "gold/suez.tml run/suez.tml --method acl11",
                "gold run --lenient",
                "gold none",
                "--help",
            )
        ),
        files={"gold/suez.tml": TIMEML, "run/suez.tml": TIMEML.replace("BEFORE", "IAFTER")},
    ),
    run(
        "compat-dtels",
        *(
            f"python -m chronoscore.compat.dtels {rest}"
            for rest in (
                "gold.jsonl run.jsonl",
                "gold.jsonl run.jsonl --level 5",
                "gold.jsonl none.jsonl",
            )
        ),
        files=NODES,
    ),
    run(
        "compat-chemotimelines",
        *(
            f"python -m chronoscore.compat.chemotimelines --gold_path gold.json --pred_path run.json --all_id_path ids.txt {mode}"
            for mode in (
                "--strict",
                "--relaxed_to month",
                "--relaxed_to day --today 2024-03-05",
                "",
            )
        ),
        "events gold.json run.json --protocol chemotimelines-2024",
        "events gold.json run.json --protocol chemotimelines-2025 -f json",
        "events gold.json wrong.json --protocol chemotimelines-2024",
        "events gold.json wrong.json --protocol chemotimelines-2024 --lenient",
        files=TUPLES,
    ),
    run(
        "compat-t2s2",
        *(
            f"python -m chronoscore.compat.t2s2 gold gpt=run {rest}"
            for rest in (
                "--distances gpt=far",
                "--distances gpt=far --header --lap",
                "--matches gpt=matches.csv",
                "--matches theirs=matches.csv",
            )
        ),
        "events gold run --protocol timeseries --time-unit hour",
        "events gold run --protocol timeseries --time-unit hour --lenient",
        "events gold run --protocol timeseries --time-unit hour --lenient --header no",
        files=SERIES,
    ),
    run("compat-module", f"python -m chronoscore timelines {ONE} -f json"),
    run(
        "compat-api",
        "python api.py",
        longest=100_000,
        files={
            "api.py": (__import__("pathlib").Path(__file__).parent / "api.py").read_text(
                encoding="utf-8"
            )
        },
    ),
]
