"""Reading text: `words` against `plain` on ASCII, and how fast it reads other scripts."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.frame import Bench, Group, Row, Scale, limit

CHARACTERS: dict[Scale, int] = {"tiny": 2_000, "quick": 300_000, "full": 3_000_000}
ENGLISH = (
    "The river rose overnight, and by noon the ferry had stopped; 2,300 people left the old town. "
)
OTHERS = {
    "French": "La rivière est montée dans la nuit, et à midi le bac s’arrêtait déjà près du quai. ",
    "Russian": "Ночью река поднялась, и к полудню паром остановился; люди покинули старый город. ",
    "Greek": "Το ποτάμι ανέβηκε τη νύχτα και ως το μεσημέρι το φέρι είχε σταματήσει. ",
    "Arabic": "ارتفع النهر ليلاً، وعند الظهر توقفت العبّارة وغادر الناس المدينة القديمة. ",
    "Hindi": "रात में नदी का पानी बढ़ गया और दोपहर तक नाव रुक गई; लोग पुराना शहर छोड़ गए। ",
    "Thai": "แม่น้ำเพิ่มขึ้นในตอนกลางคืน และตอนเที่ยงเรือข้ามฟากก็หยุด ผู้คนออกจากเมืองเก่า ",
    "Lao": "ແມ່ນ້ຳຂຶ້ນໃນຕອນກາງຄືນ ແລະ ຕອນທ່ຽງເຮືອຂ້າມຟາກກໍຢຸດ ",
    "Khmer": "ទន្លេឡើងនៅពេលយប់ ហើយនៅថ្ងៃត្រង់សាឡាងបានឈប់ ",
    "Myanmar": "ညတွင်းချင်း မြစ်ရေတက်လာပြီး နေ့လယ်တွင် ကူးတို့ရပ်သွားသည်။ ",
    "Chinese": "河水一夜之间上涨，到中午渡船已经停航，两千三百人离开了老城。",
    "Japanese": "川は一晩で増水し、正午までに渡し船は止まり、人々は旧市街を離れた。",
    "Korean": "밤사이 강물이 불어나 정오에는 나룻배가 멈췄고 사람들은 옛 시가지를 떠났다. ",
}


def make(folder: Path, sentence: str, characters: int) -> None:
    """Write a text of about this length, and a short one for the trial."""
    (folder / "trial").mkdir(exist_ok=True)
    for home, length in ((folder, characters), (folder / "trial", len(sentence))):
        text = sentence * max(1, length // len(sentence))
        (home / "text.txt").write_text(text, encoding="utf-8")


def ascii_text(bench: Bench) -> Iterator[Row]:
    """English against the cheapest reading."""
    folder, size = bench.folder("text_ascii"), CHARACTERS[bench.scale]
    make(folder, ENGLISH, size)
    words, plain = (bench.drive_ours("text.py", folder, (mode,)) for mode in ("words", "plain"))
    what = f"text=words of {size:,} ASCII characters"
    yield limit(what, "text=plain", words, plain, "at most 1.1; same tokens")


def other_scripts(bench: Bench) -> Iterator[Row]:
    """One row for each script."""
    size = CHARACTERS[bench.scale]
    for language, sentence in OTHERS.items():
        folder = bench.folder(f"text_{language}")
        make(folder, sentence, size)
        cost = bench.drive_ours("text.py", folder, ("words",))
        speed = size / max(cost.work or 0, 1e-9) / 1e6
        remark = f"{speed:.1f} million characters a CPU second; bar: 1 or more"
        yield Row(f"text=words of {size:,} characters, {language}", "none", cost, remark=remark)


GROUP = Group(
    "text",
    "words of English against plain, and of other scripts by the second",
    others=(ascii_text, other_scripts),
)
