"""Lines that are read quickly are read as by the careful reader, which reports nothing of them."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronoscore.core import records
from chronoscore.core.event import Event
from chronoscore.core.problems import Problems
from chronoscore.core.records import read_records
from chronoscore.core.sources import source_of
from chronoscore.elements.dated.reading import SummaryRecord, TimelineRecord

TEXTS = st.sampled_from(
    ["", "t", 'a": b', "back\\slash", '" : "', "é", "\ud83d", "\0", "1" * 20, "2011-01-01", "a\tb"]
)
VALUES = st.one_of(
    TEXTS,
    st.none(),
    st.booleans(),
    st.sampled_from([0, 1, 2**63, 10**30, 0.5, 1e300]),
    st.lists(TEXTS, max_size=2),
    st.dictionaries(TEXTS, TEXTS, max_size=2),
    st.dictionaries(TEXTS, st.lists(TEXTS, max_size=2), max_size=2),
)
KINDS: dict[str, type[msgspec.Struct]] = {
    "events": Event,
    "summaries": SummaryRecord,
    "days": TimelineRecord,
}
SEPARATORS = st.sampled_from([(", ", ": "), (",", ":"), (", ", " : "), (",", "\t:")])


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_a_line_is_read_as_by_the_careful_reader(
    kind: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    record = KINDS[kind]
    names = [*record.__struct_fields__, "colour"]
    usual = {"id": "e", "topic": "t", "days": {"2011-01-01": ["x"]}, "date": "2011", "summary": "x"}
    fields = {name: value for name, value in usual.items() if name in names}
    pairs = [*fields.items()]
    pairs += data.draw(st.lists(st.tuples(st.sampled_from(names), VALUES), max_size=3))
    line = _written(pairs, *data.draw(SEPARATORS), ascii=data.draw(st.booleans()))
    path = tmp_path_factory.mktemp("lines") / "lines.jsonl"
    path.write_text(line + "\n", encoding="utf-8", errors="surrogatepass")
    assert _read(path, record) == _read(path, record, careful=True)


def _written(pairs: list[tuple[str, Any]], comma: str, colon: str, *, ascii: bool) -> str:
    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=ascii, separators=(comma, colon))

    return "{" + comma.join(f"{text(name)}{colon}{text(value)}" for name, value in pairs) + "}"


def _read(path: Path, record: type[msgspec.Struct], *, careful: bool = False) -> object:
    problems = Problems()
    with pytest.MonkeyPatch.context() as patch:
        if careful:
            patch.setattr(records, "_plain_records", lambda _: lambda _: None)
        read = [*read_records(source_of(path), record, problems)]
    return read, problems.problems, [str(notice) for notice in problems.notices]
