"""A small good file of every annotation format, all about one text, and how to read them."""

from dataclasses import dataclass
from pathlib import Path

from chronoscore.annotations.formats.documents import Collection
from chronoscore.annotations.formats.reading import read_documents
from chronoscore.annotations.model import Annotation, Document
from chronoscore.core.problems import Problems, ReadingOptions
from chronoscore.core.sources import source_of

TEXT = "A ship ran aground in 2021.\nThe café crew 😀 freed it.\n"
RAN, YEAR, FREED = (7, 10), (22, 26), (44, 49)

GATE = """<?xml version='1.0' encoding='utf-8'?>
<GateDocument version="3">
<GateDocumentFeatures>
<Feature>
  <Name className="java.lang.String">gate.SourceURL</Name>
  <Value className="java.lang.String">file:/corpus/ship.txt</Value>
</Feature>
</GateDocumentFeatures>
<TextWithNodes>A ship <Node id="7"/>ran<Node id="10"/> aground in <Node
 id="22"/>2021<Node id="26"/>.
The café crew 😀 <Node id="45"/>freed<Node id="50"/> it.
</TextWithNodes>
<AnnotationSet>
<Annotation Id="1" Type="EVENT" StartNode="7" EndNode="10">
<Feature>
  <Name className="java.lang.String">n</Name><Value className="java.lang.Integer">3</Value>
</Feature>
<Feature>
  <Name className="java.lang.String">p</Name><Value className="java.lang.Double">0.5</Value>
</Feature>
<Feature>
  <Name className="java.lang.String">sure</Name><Value className="java.lang.Boolean">true</Value>
</Feature>
<Feature>
  <Name className="java.lang.String">ids</Name>
  <Value className="java.util.ArrayList" itemClassName="java.lang.Integer">4;5</Value>
</Feature>
</Annotation>
</AnnotationSet>
<AnnotationSet Name="Key">
<Annotation Id="2" Type="TIMEX3" StartNode="22" EndNode="26"></Annotation>
<Annotation Id="3" Type="EVENT" StartNode="45" EndNode="50"></Annotation>
</AnnotationSet>
</GateDocument>
"""
BDOC = (
    '{"annotation_sets": {"": {"name": "", "annotations": [\n'
    '{"type": "EVENT", "start": 7, "end": 10, "id": 1, "features": {"n": 3, "ids": [4, 5]}}],\n'
    '"next_annid": 4}, "Key": {"name": "Key", "annotations": [\n'
    '{"type": "TIMEX3", "start": 22, "end": 26, "id": 2, "features": {}},\n'
    '{"type": "EVENT", "start": 45, "end": 50, "id": 3, "features": {}}], "next_annid": 4}},\n'
    '"text": "A ship ran aground in 2021.\\nThe café crew 😀 freed it.\\n",\n'
    '"features": {"lang": "en"}, "offset_type": "j", "name": "ship.txt"}\n'
)
BRAT = (
    "T1\tEVENT 7 10\tran\n"
    "T2\tTIMEX3 22 26\t2021\n"
    "T3\tEVENT 44 49\tfreed\n"
    "E1\tEVENT:T1 When:T2\n"
    "A1\tNegated T3\n"
    "A2\tTense T3 past\n"
    "N1\tReference T2 Calendar:2021\tthe year\n"
    "#1\tAnnotatorNotes T3\tsee page 2\n"
)
CONLL = (
    "-DOCSTART- -X- O\n\n"
    "A DT O\nship NN B-SHIP\nran VBD B-EVENT\naground RB I-EVENT\nin IN O\n2021 CD B-TIME\n\n"
    "The DT O\ncafé NN O\ncrew NN B-CREW\nfreed VBD B-EVENT\nit PRP O\n"
)
PRODIGY = (
    '{"text": "A ship ran aground in 2021.", "_input_hash": 17, "_task_hash": 5, "spans": '
    '[{"start": 7, "end": 10, "label": "EVENT", "token_start": 2, "token_end": 2}], '
    '"answer": "accept"}\n'
    '{"text": "The café crew freed it.", "_input_hash": 18, "_task_hash": 6, "spans": '
    '[{"start": 14, "end": 19, "label": "EVENT", "score": 0.5}], "answer": "accept"}\n'
)
TABLE = (
    "document\ttype\tstart\tend\tid\tscore\ttense\n"
    "ship\tEVENT\t7\t10\te1\t0.5\tpast\n"
    "ship\tTIMEX3\t22\t26\tt1\t\t\n"
    "crew\tEVENT\t16\t21\te1\t0.9\tcafé\n"
)
TIMEML = (
    '<?xml version="1.0" ?>\n<TimeML>\n<DOCID>ship</DOCID>\n'
    '<DCT><TIMEX3 tid="t0" type="DATE" value="2021-03-24">today</TIMEX3></DCT>\n'
    '<TEXT>A ship <EVENT eid="e1" class="OCCURRENCE">ran</EVENT> aground in '
    '<TIMEX3 tid="t1" type="DATE" value="2021">2021</TIMEX3>.\n'
    'The café crew <EVENT eid="e2" class="OCCURRENCE">freed</EVENT> it.</TEXT>\n'
    '<MAKEINSTANCE eiid="ei1" eventID="e1" tense="PAST"/>\n'
    '<MAKEINSTANCE eiid="ei2" eventID="e2" tense="PAST"/>\n</TimeML>\n'
)
JSONL = (
    '{"id":"a1","annotations":[{"type":"EVENT","start":7,"end":10,"id":"e1","features":'
    '{"n":3,"ids":[4,5]},"score":0.5,"set":"Key"},{"type":"EVENT","start":22,"end":26}],'
    '"text":"A ship ran aground in 2021."}\n{"id":"a2","annotations":[]}\n'
)


@dataclass(frozen=True)
class Sample:
    """A good file: its name, its text, and its format."""

    file: str
    text: str
    format: str


SAMPLES = {
    sample.format: sample
    for sample in (
        Sample("ship.xml", GATE, "gate-xml"),
        Sample("ship.bdocjs", BDOC, "bdoc"),
        Sample("ship.ann", BRAT, "brat"),
        Sample("ship.conll", CONLL, "conll"),
        Sample("ship.jsonl", PRODIGY, "prodigy"),
        Sample("ship.tsv", TABLE, "tsv"),
        Sample("ship.tml", TIMEML, "timeml"),
        Sample("ship.jsonl", JSONL, "jsonl"),
    )
}


def put(folder: Path, sample: Sample, data: str | bytes | None = None) -> Path:
    """Lay a sample down, or something else in its place, and what belongs beside it."""
    folder.mkdir(exist_ok=True)
    path = folder / sample.file
    data = sample.text if data is None else data
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    if sample.format == "brat":
        path.with_suffix(".txt").write_text(TEXT, encoding="utf-8", newline="")
    return path


def read(path: Path, format: str | None = None, *, lenient: bool = False) -> Collection:
    """Read what is meant to be good."""
    problems = Problems(ReadingOptions(lenient=lenient))
    found = read_documents(source_of(path), problems, format)
    problems.check()
    return found


def only(found: Collection) -> Document:
    """The only document."""
    ((document,),) = (named.values() for named in found.values())
    return document


def problems(path: Path, format: str | None = None, *, lenient: bool = False) -> list[str]:
    """What is said against a file, without its folder."""
    problems = Problems(ReadingOptions(lenient=lenient))
    read_documents(source_of(path), problems, format)
    return [str(problem).removeprefix(f"{path.parent}/") for problem in problems.problems]


def spans(document: Document) -> list[tuple[str, int, int]]:
    """Type, start and end of every annotation."""
    return [(a.type, a.start, a.end) for a in document.annotations]


def by_id(document: Document, name: str) -> Annotation:
    """The annotation of this id."""
    (found,) = (a for a in document.annotations if a.id == name)
    return found
