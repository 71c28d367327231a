"""A small good file for every reader, and all the ways to have it read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from readers.command_line import Ran, run

DASHES = "-" * 32
EVENTS = (
    '{"id":"e1","topic":"suez","date":"2021-03-23","text":"A ship runs aground.","article":"a1",'
    '"span":[0,6],"mentions":["a1-1-runs"],"position":1,"score":0.5,"features":{"a":1}}\n'
    '{"id":"e2","topic":"suez","date":"2021-03-29","text":"The ship of the café floats.","type":'
    '"rescue","article":"a1","span":[8,12],"mentions":["a1-2-floats"],"position":2,"score":0.7}\n'
)
TILSE = (
    f"2021-03-23\nA ship runs aground.\n{DASHES}\n"
    f"2021-03-29\nThe ship of the café floats, says the canal.\n{DASHES}\n"
)
JSON = (
    '{"2021-03-23": ["A ship runs aground."],\n'
    ' "2021-03-29": ["The ship of the café floats.",\n  "It goes on."]}\n'
)
NEWS = (
    '[["2021-03-23",["A ship runs aground."]],["2021-03-29",["The ship of the café floats."]]]\n'
    '[["2021-03-24",["A ship runs aground."]]]\n'
)
TAB = "Suez\n1\t2021-03-23\ta1-1-runs\n2\t2021-03-29\ta1-2-café_floats\n"
CONLL = (
    "#begin document (suez); part 000\nsuez 0 0 The (0\nsuez 0 1 ship 0)\nsuez 0 2 runs (1)\n\n"
    "suez 0 0 It (0)\nsuez 0 1 ran (1)|(2\nsuez 0 2 café 2)\nsuez 0 3 . -\n#end document\n"
)
CLUSTERS = (
    '{"id":"suez","clusters":[["a1-1-runs","a1-2-ran"],["a1-3-floats"]]}\n'
    '{"id":"café","clusters":[[[0,1],[3,3]],[[2,2],[4,4],[5,6]]]}\n'
)
LINKED = (
    '{"id":"a1","annotations":[{"type":"ship","start":0,"end":6,"features":{"kbid":"Q1"}},'
    '{"type":"town","start":8,"end":12,"features":{"kbid":"NIL1"}}]}\n'
    '{"id":"café","annotations":[{"type":"ship","start":0,"end":6,"features":{"kbid":"Q1"}}]}\n'
)
LINKED_ROWS = "a1\t0\t5\tQ1\t0.5\tship\na1\t8\t11\tNIL1\t1\ttown\nat-café\t0\t5\tQ1\t1\tship\n"
DOCUMENTS = (
    '{"id":"a1","annotations":[{"type":"accident","start":0,"end":6,"id":1,"score":0.5}],'
    '"text":"A ship runs into a café"}\n'
    '{"id":"a2","annotations":[{"type":"rescue","start":8,"end":12}]}\n'
)
LINKS = "document\tsource\ttarget\trelation\nsuez\te1\te2\tBEFORE\nsuez\te2\tt1-café\tAFTER\n"
LINK_LINES = (
    '{"document":"suez","source":"e1","target":"e2","relation":"BEFORE"}\n'
    '{"document":"suez","source":"e2","target":"t1-café","relation":"AFTER"}\n'
)
TIMEML = (
    '<?xml version="1.0" ?>\n<TimeML>\n<TEXT>A ship <EVENT eid="e1">runs</EVENT> into a café\n'
    'and <EVENT eid="e2">floats</EVENT>.</TEXT>\n'
    '<TLINK relType="BEFORE" eventInstanceID="e1" relatedToEventInstance="e2"/>\n</TimeML>\n'
)
SCORED_PAIRS = (
    "suez,E1,E2,0,0.7,0.1,0.1,0.1\nsuez,E2,E3-café,1,0.2,0.5,0.2,0.1\nsuez,E1,E4,2,0,0.1,0.8,0.1\n"
)
PAIRS = (
    '<DATA>\n<SENTENCE DOCID="suez" SOURCE="E1" TARGET="E2" LABEL="BEFORE">runs</SENTENCE>\n'
    '<SENTENCE DOCID="suez" SOURCE="E2" TARGET="E3-café" LABEL="AFTER">floats</SENTENCE>\n</DATA>\n'
)
BRAT = (
    "T1\tevent 7 11\truns\nE1\tevent:T1 \nT2\tevent 12 17\tcaf\u00e9s\nE2\tevent:T2 Place:T1\n"
    "R1\tBEFORE Arg1:E1 Arg2:E2\t\n"
)
SHEET = (
    "event_id,evaluator,Eval_DateCorrect,Eval_RootEvent,Eval_EventType,Eval_EventAmbiguity,"
    "Eval_Relevance,Comment\ne1,ana,1,1,1,3,3,café\ne2,ana,1,0,1,2,3,\n"
)


@dataclass(frozen=True)
class Sample:
    """A good file: the verb that reads it, where it lies, its text, and a change of it."""

    verb: str
    file: str
    text: str
    change: tuple[str, str] = ("2021-03-23", "2021-03-24")

    @property
    def other(self) -> str:
        """A good file with another content, so that scores are neither 0 nor 1."""
        return self.text.replace(*self.change)


SAMPLES = {
    "events as timelines": Sample("timelines", "suez.jsonl", EVENTS),
    "events as an order": Sample("ordering", "suez.jsonl", EVENTS),
    "events as annotations": Sample("annotations", "suez.jsonl", EVENTS, ("[0,6]", "[0,5]")),
    "tilse text": Sample("timelines", "suez.txt", TILSE),
    "JSON timeline": Sample("timelines", "suez.json", JSON),
    "news-tls lines": Sample("timelines", "suez.jsonl", NEWS),
    "folder of topics": Sample("timelines", "topics/suez/desk.txt", TILSE),
    "folder of news-tls topics": Sample("timelines", "topics/suez/timelines.jsonl", NEWS),
    "tab file": Sample("ordering", "suez.txt", TAB),
    "folder of tab files": Sample("ordering", "answers/suez.txt", TAB),
    "events as clusters": Sample("coreference", "suez.jsonl", EVENTS, ("1-runs", "1-rans")),
    "rows as clusters": Sample("coreference", "suez.txt", TAB, ("1-runs", "1-rans")),
    "CoNLL": Sample("coreference", "suez.conll", CONLL, ("(1)|(2", "(0)|(2")),
    "JSON clusters": Sample("coreference", "suez.jsonl", CLUSTERS, ("1-runs", "1-rans")),
    "linked annotations": Sample("coreference", "suez.jsonl", LINKED, ('"end":6', '"end":5')),
    "linked rows": Sample("coreference", "suez.tsv", LINKED_ROWS, ("8\t11", "8\t12")),
    "documents": Sample("annotations", "suez.jsonl", DOCUMENTS, ('"end":6', '"end":5')),
    "table of links": Sample("tlinks", "suez.tsv", LINKS, ("BEFORE", "IAFTER")),
    "lines of links": Sample("tlinks", "suez.jsonl", LINK_LINES, ("BEFORE", "IAFTER")),
    "events as links": Sample("tlinks", "suez.jsonl", EVENTS, ('"position":2', '"position":1')),
    "TimeML": Sample("tlinks", "suez.tml", TIMEML, ("BEFORE", "IAFTER")),
    "folder of TimeML": Sample("tlinks", "answers/suez.tml", TIMEML, ("BEFORE", "IAFTER")),
    "scores of pairs": Sample("tlinks", "suez.output", SCORED_PAIRS, ("0.7,0.1", "0.1,0.7")),
    "pairs in XML": Sample("tlinks", "suez.xml", PAIRS, ("BEFORE", "EQUAL")),
    "sheet": Sample("rubric", "suez.csv", SHEET, ("1,1,1,3,3", "1,1,1,2,3")),
}


def put(folder: Path, sample: Sample, data: bytes | str) -> Path:
    """Lay a file down where the sample has its own; what to name on the command line."""
    file = folder / sample.file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder / Path(sample.file).parts[0]


def score(folder: Path, sample: Sample, gold: bytes | str, predicted: bytes | str) -> Ran:
    """Score one content against another, with the whole result on stdout."""
    one, two = put(folder / "gold", sample, gold), put(folder / "predicted", sample, predicted)
    paths = (two,) if sample.verb == "rubric" else (one, two)
    return run(sample.verb, *paths, "--format", "json")


def every_way(folder: Path, sample: Sample, data: bytes | str, *options: str) -> dict[str, Ran]:
    """Have a file read as gold, as prediction, and by `validate`, told what it is or not."""
    bad, good = put(folder / "bad", sample, data), put(folder / "good", sample, sample.text)
    ways: dict[str, Callable[[], Ran]] = {
        "gold": lambda: run(sample.verb, bad, good, *options),
        "predicted": lambda: run(sample.verb, good, bad, *options),
        "validate --as": lambda: run("validate", "--as", sample.verb, bad, *options),
        "validate": lambda: run("validate", folder / "bad" / sample.file, *options),
    }
    if sample.verb == "rubric":
        ways["gold"] = ways["predicted"] = lambda: run("rubric", bad, *options)
    return {way: call() for way, call in ways.items()}
