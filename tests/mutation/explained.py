"""Mutants that no test can notice, and why: they change nothing that anyone could observe."""

EXPLAINED = {
    (
        "annotations/formats/json.py",
        "if doubles or not _is_sound(columns, fields) "
        "or _has_doubles(lines, (keys - _keys_in(columns))):",
    ): "the number only decides whether lines are parsed once more, which finds the same keys",
    (
        "elements/dated/values.py",
        "if not ({*map(type, days)} < _LISTS):",
    ): "days that mix lists and tuples are converted one by one, to the same values",
    (
        "rubric/agreement/over_time.py",
        "mean = {unit: round(sum(at) / len(at), (11)) for unit, at in positions.items()}",
    ): "the rounding lets means tie that differ by float noise, which is far below either digit",
    (
        "rubric/pages/agreement.py",
        "threshold = study.verdicts[(-1)].threshold",
    ): "all verdicts of a study have one threshold, the first as well as the last",
    (
        "statistics/agreement.py",
        "other_raters = np.asarray(max(k - 1, (0)), dtype=np.float64)",
    ): "with fewer than two raters no unit counts, and every mean square is undefined either way",
    (
        "timelines/comparison.py",
        "is_pair = ((row < len(self.rows)) | (column >= 0))",
    ): "no side has two days of the same cells, so equal neighbours are one day of each side",
    (
        "timelines/library.py",
        "together = max(1, min(TOGETHER, CELLS_TOGETHER // max(2, most_days) ** 2))",
    ): "a gold of one day is compared with as many predictions at once as one of two days",
}
"""The module and the changed line, and the reason."""
