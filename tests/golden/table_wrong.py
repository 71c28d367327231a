"""Wrong input and wrong calls: the message, and the exit code."""

from golden.running import Run, run
from golden.table_families import ONE
from readers.samples import EVENTS, LINKS, SHEET, TAB, TILSE, TIMEML

GOOD = {"good.jsonl": EVENTS, "good.csv": SHEET, "good.txt": TILSE, "good.tab": TAB}
SAVED = "timelines demo/gold.jsonl demo/quick.jsonl --save saved.json"


def wrong(name: str, *commands: str, text: str = "", file: str = "bad.jsonl") -> Run:
    """A wrong call, or a call on a wrong file."""
    files = GOOD | ({file: text} if text else {})
    return run(f"wrong-{name}", *commands, files=files, unkept="file")


def each(name: str, text: str, *verbs: str, file: str = "bad.jsonl") -> Run:
    """A wrong file as a prediction, in several verbs, and validated."""
    calls = [f"{verb} good.jsonl {file}" for verb in verbs]
    return wrong(name, *calls, f"validate {file}", text=text, file=file)


FAMILIES = ("timelines", "ordering", "tlinks", "coreference", "annotations")
FIRST, SECOND = EVENTS.splitlines(keepends=True)

WRONG_RUNS = [
    wrong(
        "missing-file",
        *(f"{verb} good.jsonl none.jsonl" for verb in FAMILIES),
        "rubric none.csv",
        "validate none.jsonl",
        "show none.json",
        "compare none.json",
        "merge none.json",
        "leaderboard none.json -o site",
        "agreement none.csv",
        "evaluate none.jsonl good.jsonl",
        "convert none.jsonl x --to tilse",
    ),
    wrong(
        "unknown-metric",
        *(f"{verb} {ONE} -m nonsense" for verb in FAMILIES),
        "rubric good.csv -m nonsense",
        "metrics nonsense",
        f"timelines {ONE} -m 'align(rouge=0)'",
        f"timelines {ONE} -m 'align(nonsense=1)'",
        f"timelines {ONE} -m 'align(cost=x)'",
        f"timelines {ONE} -m 'align('",
    ),
    wrong("unknown-protocol", *(f"{verb} {ONE} --protocol nonsense" for verb in FAMILIES)),
    wrong("unknown-verb", "nonsense", "timeline good.jsonl good.jsonl", "--nonsense"),
    wrong("unknown-option", *(f"{verb} {ONE} --nonsense" for verb in FAMILIES)),
    wrong(
        "unknown-value",
        f"timelines {ONE} -f pdf",
        f"timelines {ONE} --golds all",
        f"timelines {ONE} --interval guess",
        f"timelines {ONE} --level 2",
        f"timelines {ONE} --engine fast",
        f"annotations {ONE} --matching guess",
        f"timelines {ONE} --undefined guess",
        f"timelines {ONE} --average guess",
        f"timelines {ONE} --by guess",
        f"timelines {ONE} --explain guess",
        f"timelines {ONE} --unit guess --interval bootstrap",
        f"timelines {ONE} --chunk 0",
        f"timelines {ONE} --published guess",
        f"timelines {ONE} --encoding guess",
    ),
    wrong(
        "no-prediction",
        *(f"{verb} good.jsonl" for verb in FAMILIES),
        "rubric",
        "compare",
        "validate",
        "merge",
        "show",
        "agreement",
        "calibrate",
        "correlate",
        "leaderboard",
        "convert",
        "judge",
    ),
    wrong(
        "fail-under",
        f"timelines {ONE} --fail-under x",
        f"timelines {ONE} --fail-under nonsense=0.5",
        f"timelines {ONE} --fail-under AR-1=0.99",
        f"timelines {ONE} --fail-under 0.5 --bound lower",
    ),
    wrong(
        "same-system",
        "timelines demo/gold.jsonl a=demo/quick.jsonl a=demo/careful.jsonl",
        "ordering demo/gold.jsonl a=demo/quick.jsonl a=demo/careful.jsonl",
        "annotations demo/gold.jsonl demo/quick.jsonl demo/quick.jsonl",
    ),
    each("json-line", FIRST + '{"id": "e2", \n', *FAMILIES),
    each("not-json", "this is not JSON\n", *FAMILIES),
    each("not-an-object", FIRST + "[1, 2]\n", *FAMILIES),
    each("empty-file", "\n", *FAMILIES),
    each("duplicate-id", FIRST + FIRST, *FAMILIES),
    each(
        "unknown-field", FIRST.replace('"type"', '"kind"').replace('"score"', '"scoer"'), *FAMILIES
    ),
    each("bad-date", EVENTS.replace("2021-03-23", "2021-13-45"), *FAMILIES),
    each("text-for-number", EVENTS.replace('"position":1', '"position":"one"'), *FAMILIES),
    each("span-backwards", EVENTS.replace("[0,6]", "[6,0]"), *FAMILIES),
    each("number-for-text", EVENTS.replace('"A ship runs aground."', "17"), *FAMILIES),
    each("long-line", EVENTS, *(f"{verb} --max-line 20" for verb in FAMILIES)),
    each("nul-and-bom", "\ufeff" + FIRST + SECOND.replace("ship", "sh\x00ip"), *FAMILIES),
    each(
        "other-topics",
        EVENTS.replace('"suez"', '"panama"').replace('"a1"', '"b1"'),
        *FAMILIES,
        "timelines --missing error",
        "annotations --missing error",
    ),
    each(
        "lenient",
        FIRST + FIRST.replace("[0,6]", "[6,0]"),
        *(f"{verb} --lenient" for verb in FAMILIES),
    ),
    wrong(
        "strict-parts",
        *(
            f"{verb} good.jsonl bad.jsonl --engine here --chunk 1 --progress none{more}"
            for verb in ("timelines", "annotations")
            for more in ("", " --strict", " --max-bad 0")
        ),
        text=EVENTS.replace("2021-03-23", "2021-13-45").replace("[8,12]", "[12,8]"),
    ),
    wrong(
        "tilse-text",
        "timelines good.txt bad.txt",
        "validate bad.txt",
        text=TILSE.replace("2021-03-23", "23 March"),
        file="bad.txt",
    ),
    wrong(
        "tilse-repeated",
        "timelines good.txt bad.txt",
        text=TILSE.replace("2021-03-29", "2021-03-23"),
        file="bad.txt",
    ),
    wrong(
        "tab-file",
        "ordering good.tab bad.tab",
        "validate --as ordering bad.tab",
        text=TAB.replace("1\t2021", "one\t2021"),
        file="bad.tab",
    ),
    wrong(
        "links",
        "tlinks bad.tsv bad.tsv",
        "validate bad.tsv",
        text=LINKS.replace("BEFORE", "BEFOER"),
        file="bad.tsv",
    ),
    wrong(
        "timeml",
        "tlinks bad.tml bad.tml",
        "validate bad.tml",
        text=TIMEML.replace("</TimeML>", ""),
        file="bad.tml",
    ),
    wrong(
        "conll",
        "coreference bad.conll bad.conll",
        text="#begin document (suez); part 000\nsuez 0 0 The (0\n#end document\n",
        file="bad.conll",
    ),
    wrong(
        "sheet-value",
        "rubric bad.csv",
        "validate bad.csv",
        "agreement bad.csv",
        text=SHEET.replace("1,1,1,3,3", "2,1,yes,3,9"),
        file="bad.csv",
    ),
    wrong(
        "sheet-column",
        "rubric bad.csv",
        "validate --as rubric bad.csv",
        text=SHEET.replace("Eval_Relevance", "Relevance"),
        file="bad.csv",
    ),
    wrong("sheet-twice", "rubric bad.csv", text=SHEET + "e1,ana,1,1,1,3,2,\n", file="bad.csv"),
    wrong(
        "sheet-one-person",
        "agreement good.csv",
        "calibrate good.csv",
        "correlate good.csv --people good.csv --level event",
    ),
    wrong(
        "codebook", "rubric good.csv --codebook bad.json", text='{"name": "mine"}', file="bad.json"
    ),
    wrong(
        "result",
        "show bad.json",
        "validate bad.json",
        "compare bad.json",
        "merge bad.json",
        text='{"format": "chronoscore-result", "version": 1}',
        file="bad.json",
    ),
    wrong(
        "result-newer",
        "show bad.json",
        "validate bad.json",
        text='{"format": "chronoscore-result", "version": 99}',
        file="bad.json",
    ),
    wrong(
        "explain-and-latex",
        f"timelines {ONE} --explain chernobyl -f latex",
        f"timelines {ONE} --explain chernobyl -f csv",
    ),
    wrong(
        "save-into-nothing",
        f"timelines {ONE} --save none/deep/saved.json",
        f"timelines {ONE} --report demo",
    ),
    wrong(
        "compare-nothing",
        "compare timelines demo/gold.jsonl demo/quick.jsonl",
        "compare nonsense demo/gold.jsonl demo/quick.jsonl",
        "compare timelines demo/gold.jsonl demo/quick.jsonl demo/careful.jsonl --baseline nobody",
        f"{SAVED}",
        "compare saved.json",
        "compare saved.json --protocol tilse",
    ),
    wrong(
        "signature",
        f"timelines {ONE} --from-signature nonsense",
        f"timelines {ONE} --from-signature x --protocol tilse",
    ),
    wrong(
        "convert",
        "convert good.jsonl good.txt --to tilse",
        "convert good.csv out --to tilse",
        "convert good.jsonl out --to pdf",
    ),
    wrong("copy-of-gold", "timelines good.jsonl good.jsonl", "annotations good.jsonl good.jsonl"),
    wrong("standard-input", "timelines good.jsonl -", "validate -"),
    wrong(
        "judge",
        "judge good.jsonl",
        "judge good.jsonl --model x --base-url nonsense",
        "judge good.jsonl --articles none.jsonl --model x --base-url http://127.0.0.1:1",
        "judge good.jsonl --model x --base-url http://127.0.0.1:1 --without-articles --replay -o out.jsonl",
    ),
    wrong(
        "ignored-options",
        f"timelines {ONE} --workers 2",
        f"annotations {ONE} --alignment share",
        f"timelines {ONE} --bound lower",
        f"timelines {ONE} --seed 3",
        f"annotations {ONE} --loss 0-1",
    ),
]
