"""Print the size of the house: lines of code, packages, crowded folders, modules with one importer.

A report, not a limit: it shows where to look when something is added.
"""

import ast
import io
import tokenize
from collections import Counter, defaultdict
from pathlib import Path

HOME = Path(__file__).parents[1] / "src" / "chronoscore"
CROWDED = 15
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    """Count the lines that hold code: docstrings, comments and blank lines do not.

    >>> code_lines('"Says what it does."\\n\\nx = 1  # why\\n# more\\n')
    1
    """
    described: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for statement in body:
                if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                    last = statement.end_lineno or statement.lineno
                    described.update(range(statement.lineno, last + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - described)


def module_name(path: Path) -> str:
    """Give the dotted name that a file is imported by."""
    parts = ("chronoscore", *path.relative_to(HOME).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def package_sizes() -> Counter[str]:
    """Count the lines of code of each package, and of each module that stands alone."""
    sizes: Counter[str] = Counter()
    for path in HOME.rglob("*.py"):
        name = path.relative_to(HOME).parts[0].removesuffix(".py")
        sizes[name] += code_lines(path.read_text(encoding="utf-8"))
    return sizes


def importers(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Find which modules import each module, by statements at any depth."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                members = {f"{node.module}.{alias.name}" for alias in node.names}
                for target in {node.module, *members} & modules.keys() - {name}:
                    found[target].add(name)
            elif isinstance(node, ast.Import):
                for target in {alias.name for alias in node.names} & modules.keys() - {name}:
                    found[target].add(name)
    return found


def report() -> list[str]:
    """Write the report, a line for each finding."""
    modules = {module_name(path): path for path in sorted(HOME.rglob("*.py"))}
    size = {name: code_lines(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    folders = Counter(str(path.parent.relative_to(HOME.parent)) for path in modules.values())
    used = importers(modules)
    lone = [name for name in modules if len(used[name]) == 1 and size[name]]
    lines = [f"{sum(size.values()):,} lines of code in {len(modules)} modules"]
    lines += [f"  {name}: {number:,}" for name, number in package_sizes().most_common()]
    lines += [
        f"{folder} has {number} files" for folder, number in folders.items() if number > CROWDED
    ]
    if lone:
        lines.append(f"{len(lone)} modules have one importer, the smallest first:")
        for name in sorted(lone, key=lambda each: size[each])[:CROWDED]:
            (importer,) = used[name]
            lines.append(f"  {name} ({size[name]} lines), imported by {importer}")
    return lines


if __name__ == "__main__":
    print("\n".join(report()))  # noqa: T201
