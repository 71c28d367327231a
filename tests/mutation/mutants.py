"""Find the places of a module where one small change makes another program, and draw some.

A mutant is a change of the kind that people make by mistake: `<` for `<=`, `and` for `or`, one
more or less, arguments in the wrong order, a forgotten statement. What no test can or should
notice is left alone: annotations, decorators, docstrings, the words of messages.
"""

import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scripts.measure_house import code_lines

LEAST = 4
"""Mutants that every room gets, however small it is."""
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True)
class Mutant:
    """One change: where, of which kind, the code before and after."""

    path: str
    """The module, relative to the package."""
    statement: int
    """The first line of the statement that it is in; of an `if` or `for`, its own first line."""
    line: int
    last: int
    start: int
    """Offset of the replaced code in the bytes of the module."""
    kind: str
    before: str
    after: str

    @property
    def name(self) -> str:
        """What tells it from all others of the same source."""
        return f"{self.path}:{self.line}:{self.start}:{self.kind}:{self.after}"

    @property
    def room(self) -> str:
        """The folder below the package, or "front" for the modules at the top."""
        folder, found, _ = self.path.partition("/")
        return folder if found else "front"

    def applied(self, source: bytes) -> bytes:
        """Return the module with the change made."""
        before = self.before.encode()
        end = self.start + len(before)
        if source[self.start : end] != before:
            raise ValueError(f"{self.path}:{self.line}: the source is not what it was")
        return source[: self.start] + self.after.encode() + source[end:]


def mutants(path: str, source: bytes) -> list[Mutant]:
    """List all mutants of a module.

    >>> [one.after for one in mutants("x.py", b"def f(a):\\n    return a < 3\\n")]
    ['return None', '(a <= 3)', '4', '(2)']
    """
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for statement, (node, kind, after) in _changes(ast.parse(source), 1):
        last = node.end_lineno or node.lineno
        start = starts[node.lineno - 1] + node.col_offset
        before = source[start : starts[last - 1] + (node.end_col_offset or 0)].decode()
        found.append(Mutant(path, statement, node.lineno, last, start, kind, before, after))
    return found


Change = tuple[ast.expr | ast.stmt, str, str]


def _changes(node: ast.AST, statement: int) -> Iterator[tuple[int, Change]]:
    found: Iterator[Change] = iter(())
    if isinstance(node, ast.stmt):
        statement = node.lineno
        found = _of_statement(node)
    elif isinstance(node, ast.expr):
        found = _of_expression(node)
    for change in found:
        compound = hasattr(node, "body") and isinstance(node, ast.stmt)
        yield (change[0].lineno if compound else statement), change
    for child in _inside(node):
        yield from _changes(child, statement)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that are looked into."""
    if isinstance(node, ast.JoinedStr | ast.Raise | ast.Import | ast.ImportFrom | ast.Assert):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list", "bases", "type_comment"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue  # of zip: a check that never fails
            if isinstance(child, ast.AST):
                yield child


def _of_statement(node: ast.stmt) -> Iterator[Change]:
    if isinstance(node, ast.Raise):
        yield node, "dropped raise", "pass"
    elif isinstance(node, ast.Return) and node.value is not None:
        if not (isinstance(node.value, ast.Constant) and node.value.value is None):
            yield node, "returned None", "return None"
    elif isinstance(node, ast.AugAssign | ast.Continue | ast.Break | ast.Delete) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield node, "removed statement", "pass"
    if isinstance(node, ast.If | ast.While) and not _is_negated(node.test):
        yield node.test, "negated condition", f"(not ({ast.unparse(node.test)}))"


def _of_expression(node: ast.expr) -> Iterator[Change]:
    match node:
        case ast.Compare(left, [operator], right):
            other = ast.Compare(left, [_COMPARISONS[type(operator)]()], right)
            yield node, "comparison", f"({ast.unparse(other)})"
        case ast.BoolOp(operator, values):
            boolean = ast.BoolOp(ast.And() if isinstance(operator, ast.Or) else ast.Or(), values)
            yield node, "and/or", f"({ast.unparse(boolean)})"
        case ast.UnaryOp(ast.Not(), operand):
            yield node, "not", f"({ast.unparse(operand)})"
        case ast.BinOp(left, operator, right) if type(operator) in _ARITHMETIC:
            if not (_is_text(left) or _is_text(right)):
                sum_ = ast.BinOp(left, _ARITHMETIC[type(operator)](), right)
                yield node, "arithmetic", f"({ast.unparse(sum_)})"
        case ast.Constant(bool(value)):
            yield node, "constant", str(not value)
        case ast.Constant(int(value) | float(value)):
            yield node, "constant", repr(value + 1)
            yield node, "constant", f"({value - 1!r})"
        case ast.Call(function, [first, second, *rest], keywords):
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                swapped = ast.Call(function, [second, first, *rest], keywords)
                if ast.unparse(swapped) != ast.unparse(node):
                    yield node, "swapped arguments", ast.unparse(swapped)


def _is_negated(node: ast.expr) -> bool:
    """Whether another kind of change turns the condition round already."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return isinstance(node.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn | ast.Is | ast.IsNot)
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.JoinedStr):
        return True
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def draw(home: Path, count: int, seed: int, only: str = "") -> list[Mutant]:
    """Draw mutants of a package, or of one room of it.

    Each room gets its share by lines of code, and in it each module; within a module, every kind
    of change has the same chance.
    """
    chance = random.Random(seed)
    weights: dict[str, dict[str, int]] = {}
    left: dict[str, list[Mutant]] = {}
    for path in sorted(home.rglob("*.py")):
        name, source = path.relative_to(home).as_posix(), path.read_bytes()
        of_module = mutants(name, source)
        if of_module and only in ("", of_module[0].room):
            left[name] = of_module
            weights.setdefault(of_module[0].room, {})[name] = code_lines(source.decode())
    drawn: list[Mutant] = []
    for room, share in _shares({r: sum(w.values()) for r, w in weights.items()}, count).items():
        modules = weights[room]
        for _ in range(share):
            if not modules:
                break
            (name,) = chance.choices([*modules], [*modules.values()])
            kind = chance.choice(sorted({one.kind for one in left[name]}))
            one = chance.choice([one for one in left[name] if one.kind == kind])
            left[name].remove(one)
            drawn.append(one)
            if not left[name]:
                del modules[name]
    chance.shuffle(drawn)  # so that a campaign that is stopped has seen all rooms
    return drawn


def _shares(sizes: dict[str, int], count: int) -> dict[str, int]:
    """Divide a count in proportion to sizes, with at least a few for each."""
    total = sum(sizes.values())
    exact = {name: max(LEAST, count * size / total) for name, size in sizes.items()}
    scale = count / sum(exact.values())
    return {name: max(1, round(share * scale)) for name, share in exact.items()}
