"""Archives from who knows where, looked over before anything in them is parsed.

A workbook is a zip of XML. Refused are archives that unpack to far more than they are, macros,
links to other files, and XML that defines entities.
"""

import re
import zipfile
import zlib
from pathlib import Path

ENDINGS = (".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlsb")
MOST_BYTES = 256 * 1024 * 1024
MOST_TIMES = 150
SMALL = 4 * 1024 * 1024
MOST_MEMBERS = 2000
_ENTITIES = tuple(
    mark.encode(code)
    for mark in ("<!DOCTYPE", "<!ENTITY")
    for code in ("utf-8", "utf-16-le", "utf-16-be")
)
_MACROS = re.compile(r"vbaproject|macrosheets/|activex/|embeddings/|vbadata", re.IGNORECASE)
_LINKS = re.compile(r"externallinks/|(^|/)connections\.xml$|querytables/", re.IGNORECASE)
_RELATION = re.compile(rb"<[^>]*TargetMode\s*=\s*[\"']External[^>]*>")


def refusal(path: Path) -> str:
    """Say why a workbook must not be opened; nothing if it may."""
    ending = path.suffix.lower()
    if ending != ".xlsx" and ending in ENDINGS:
        return f"{ending} files may hold macros or are of an old format; save it as .xlsx"
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            return _by_size(members) or _by_name(members) or _by_content(archive)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ):
        return "is not a workbook that can be read: the file is damaged or of another format"


def _by_size(members: list[zipfile.ZipInfo]) -> str:
    # The sizes are those that the archive declares; unpacking never gives more than them.
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if len(members) > MOST_MEMBERS:
        return f"has {len(members)} parts, more than the {MOST_MEMBERS} that a workbook may need"
    if total > MOST_BYTES or any(
        member.file_size > max(SMALL, MOST_TIMES * member.compress_size) for member in members
    ):
        return f"unpacks from {packed} to {total} bytes: it looks like a zip bomb and is not opened"
    return ""


def _by_name(members: list[zipfile.ZipInfo]) -> str:
    names = [member.filename.replace("\\", "/") for member in members]
    if any(member.flag_bits & 1 for member in members):
        return "is encrypted; save it without a password"
    if "xl/workbook.xml" not in names:
        return "is a zip, but not a workbook of Excel (.xlsx)"
    for pattern, what in ((_MACROS, "macros or other programs"), (_LINKS, "links to other files")):
        found = [name for name in names if pattern.search(name)]
        if found:
            return f"has {what} ({found[0]}) and is not opened; save it without"
    return ""


def _by_content(archive: zipfile.ZipFile) -> str:
    for name in archive.namelist():
        if not name.lower().endswith((".xml", ".rels")):
            continue
        data = archive.read(name)
        if any(mark in data for mark in _ENTITIES):
            return f"has a document type or entities in {name} and is not opened"
        if any(b"/hyperlink" not in relation for relation in _RELATION.findall(data)):
            return f"has links to other files ({name}) and is not opened; save it without"
        if name == "[Content_Types].xml" and b"macroEnabled" in data:
            return "has macros and is not opened; save it without"
    return ""
