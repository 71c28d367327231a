"""Mutants that no test can notice, and why: they change nothing that anyone could observe."""

EXPLAINED = {
    (
        "annotations/formats/json.py",
        "keys + _keys_in(columns)",
        "(keys - _keys_in(columns))",
    ): "the number only decides whether lines are parsed once more, which finds the same keys",
    (
        "elements/dated/values.py",
        "{*map(type, days)} <= _LISTS",
        "({*map(type, days)} < _LISTS)",
    ): "days that mix lists and tuples are converted one by one, to the same values",
}
"""The module, the code before and after, and the reason."""
