"""tilse's five variants of ROUGE for timelines, and the two ways to count n-grams that they use."""

from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence

from chronoscore.compat.tilse.data.timelines import GroundTruth, Timeline
from chronoscore.compat.tilse.evaluation.util import all_scores
from chronoscore.elements.dated import model
from chronoscore.elements.text import rouge155, stop_words
from chronoscore.elements.text.porter import nltk_stem
from chronoscore.timelines.comparison import ComparisonBlock, Setting
from chronoscore.timelines.metrics import ALIGN

Tokenised = Iterable[Sequence[str]]
"""Sentences, each a sequence of tokens."""
Scored = dict[str, dict[str, float]]
"""By measure: precision, recall and f_score. They are the integer 0 wherever tilse's are."""

NGRAMS = {"rouge_1": 1, "rouge_2": 2}
ONE_TO_ONE, MANY_TO_ONE = "one-to-one", "many-to-one"
NOTHING_TO_ASSIGN = {
    ONE_TO_ONE: "expected a matrix (2-D array), got a 1 array",
    MANY_TO_ONE: "attempt to get argmin of an empty sequence",
}
VARIANTS = (
    "concat",
    "agreement",
    "align_date_costs",
    "align_date_content_costs",
    "align_date_content_costs_many_to_one",
)
MARKS = (".", ",", ";", ":", "``", "''", "-", '"')


class Rouge155:
    """ROUGE-1.5.5 as tilse calls it through pyrouge: stemmed, without stop words, raw counts."""

    text = "rouge155"

    def score_summary(
        self, summary: Tokenised, references: Mapping[str, Tokenised], summary_id: str = "A"
    ) -> dict[str, int]:
        """Count n-grams: shared (h), of the summary times the references (p), of these (m).

        >>> Rouge155().score_summary([["Mubarak", "resigned"]], {"0": [["Mubarak", "resigns"]]})
        ... # doctest: +NORMALIZE_WHITESPACE
        {'rouge_1_h_count': 2, 'rouge_1_p_count': 2, 'rouge_1_m_count': 2,
         'rouge_2_h_count': 1, 'rouge_2_p_count': 1, 'rouge_2_m_count': 1}
        """
        return _counts(self._tokens(summary), map(self._tokens, references.values()))

    def _tokens(self, sentences: Tokenised) -> list[str]:
        return rouge155(map(" ".join, sentences))


class RougeReimplementation:
    """tilse's quick approximation of ROUGE-1.5.5, not fit for published numbers."""

    def __init__(self, stem: bool = True, ignore_stopwords: bool = True) -> None:
        self.stem = stem
        self.ignore_stopwords = ignore_stopwords
        self.stopwords = set(stop_words()) if ignore_stopwords else set[str]()

    @property
    def text(self) -> str:
        """The name of this text processing, which only the defaults have."""
        if self.stem and self.ignore_stopwords:
            return "reimpl"
        raise NotImplementedError("timelines are aligned with stemming and without stop words only")

    def score_summary(
        self, summary: Tokenised, references: Mapping[str, Tokenised]
    ) -> dict[str, int]:
        """Count n-grams: shared (h), of the summary times the references (p), of these (m)."""
        return _counts(self._tokens(summary), map(self._tokens, references.values()))

    def _tokens(self, sentences: Tokenised) -> list[str]:
        lower = [token.lower() for sentence in sentences for token in sentence]
        words = [token for token in lower if token not in self.stopwords and token not in MARKS]
        return list(map(nltk_stem, words)) if self.stem else words


def _counts(summary: list[str], references: Iterable[list[str]]) -> dict[str, int]:
    golds = list(references)
    counts = {}
    for measure, n in NGRAMS.items():
        predicted, *gold = (Counter(_ngrams(tokens, n)) for tokens in (summary, *golds))
        counts[f"{measure}_h_count"] = sum((predicted & ngrams).total() for ngrams in gold)
        counts[f"{measure}_p_count"] = len(golds) * predicted.total()
        counts[f"{measure}_m_count"] = sum(ngrams.total() for ngrams in gold)
    return counts


def _ngrams(tokens: list[str], n: int) -> Iterable[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(n)), strict=False)


class TimelineRougeEvaluator:
    """Scores a timeline against references by the variants of Martschat and Markert (2017).

    A wrong name of a measure or of the computation fails only where it is used, as in tilse.

    >>> from datetime import date
    >>> gold = Timeline({date(2011, 2, 11): ["Mubarak resigns as president ."]})
    >>> late = Timeline({date(2011, 2, 12): ["Mubarak resigns ."]})
    >>> TimelineRougeEvaluator().evaluate_align_date_costs(late, GroundTruth([gold]))
    {'rouge_1': {'precision': 0.5, 'recall': 0.3333333333333333, 'f_score': 0.4}}
    """

    rouge: Rouge155 | RougeReimplementation

    def __init__(
        self,
        measures: Collection[str] | None = None,
        rouge_computation: str = "original",
        beta: float = 1,
    ) -> None:
        self.measures = {"rouge_1"} if measures is None else measures
        if rouge_computation == "original":
            self.rouge = Rouge155()
        elif rouge_computation == "reimpl":
            self.rouge = RougeReimplementation()
        self.beta = beta

    def evaluate_concat(
        self, predicted_timeline: Timeline, reference_timelines: GroundTruth
    ) -> Scored:
        """Score all days as one document: `concat`. ZeroDivisionError without n-grams."""
        counts = self._counts(
            _sentences(predicted_timeline),
            {str(i): _sentences(gold) for i, gold in enumerate(reference_timelines.timelines)},
        )
        return {
            measure: self._scores(shared / predicted, shared / gold)
            for measure, (shared, predicted, gold) in counts.items()
        }

    def evaluate_agreement(
        self, predicted_timeline: Timeline, reference_timelines: GroundTruth
    ) -> Scored:
        """Score each day against the same day: `agreement`."""
        predicted_days, gold_days = predicted_timeline.get_dates(), reference_timelines.get_dates()
        # For each measure: shared and all n-grams for precision, shared and all for recall.
        sums = {measure: [0, 0, 0, 0] for measure in self.measures}
        for day in predicted_days | gold_days:
            counts = self._counts(predicted_timeline[day], reference_timelines[day])
            for measure, (shared, predicted, gold) in counts.items():
                if day in predicted_days:
                    sums[measure][0] += shared
                    sums[measure][1] += predicted
                if day in gold_days:
                    sums[measure][2] += shared
                    sums[measure][3] += gold
        return {measure: self._ratios(*four) for measure, four in sums.items()}

    def evaluate_align_date_costs(
        self, predicted_timeline: Timeline, reference_timelines: GroundTruth
    ) -> Scored:
        """Score days that are aligned one to one by date: `align`."""
        return self._aligned(predicted_timeline, reference_timelines, "date", ONE_TO_ONE)

    def evaluate_align_date_content_costs(
        self, predicted_timeline: Timeline, reference_timelines: GroundTruth
    ) -> Scored:
        """Score days that are aligned one to one by date and text: `align+`."""
        return self._aligned(predicted_timeline, reference_timelines, "date+text", ONE_TO_ONE)

    def evaluate_align_date_content_costs_many_to_one(
        self, predicted_timeline: Timeline, reference_timelines: GroundTruth
    ) -> Scored:
        """Score days that are aligned many to one by date and text: `align+ m:1`."""
        return self._aligned(predicted_timeline, reference_timelines, "date+text", MANY_TO_ONE)

    def evaluate_all(
        self, predicted_timeline: Timeline, reference_timelines: GroundTruth
    ) -> OrderedDict[str, Scored]:
        """Score by all five variants, in the order of the paper."""
        scored: OrderedDict[str, Scored] = OrderedDict()
        for name in VARIANTS:
            score = getattr(self, f"evaluate_{name}")
            scored[name] = score(predicted_timeline, reference_timelines)
        return scored

    def _counts(
        self, predicted: Iterable[str], references: Mapping[str, Iterable[str]]
    ) -> dict[str, tuple[int, int, int]]:
        """Return for each measure the numbers of shared, predicted and gold n-grams."""
        counts = self.rouge.score_summary(
            map(str.split, predicted),
            {name: map(str.split, sentences) for name, sentences in references.items()},
        )
        return {
            name: (counts[f"{name}_h_count"], counts[f"{name}_p_count"], counts[f"{name}_m_count"])
            for name in self.measures
        }

    def _aligned(
        self, predicted: Timeline, references: GroundTruth, cost: str, assign: str
    ) -> Scored:
        # Sorted first, as in tilse: days of different kinds are a TypeError before any other error.
        sides = sorted(predicted.get_dates()), sorted(references.get_dates())
        if assign == MANY_TO_ONE and not any(sides):
            return {measure: self._scores(0, 0) for measure in self.measures}
        if not all(sides):
            raise ValueError(NOTHING_TO_ASSIGN[assign])
        timeline, gold = _converted(predicted), tuple(map(_converted, references.timelines))
        (comparison,) = ComparisonBlock([timeline], [gold], Setting(self.rouge.text))
        scored = {}
        for measure in self.measures:
            if measure not in NGRAMS:
                raise KeyError(f"{measure}_h_count")
            metric = ALIGN(rouge=str(NGRAMS[measure]), cost=cost, assign=assign)
            scored[measure] = self._ratios(*metric.measure(comparison).statistics)
        return scored

    def _ratios(
        self, shared: float, predicted: float, recalled: float, gold: float
    ) -> dict[str, float]:
        return self._scores(shared / predicted if predicted else 0, recalled / gold if gold else 0)

    def _scores(self, precision: float, recall: float) -> dict[str, float]:
        return all_scores(precision, recall, beta=self.beta)


def _sentences(timeline: Timeline) -> list[str]:
    return [sentence for day in sorted(timeline.get_dates()) for sentence in timeline[day]]


def _converted(timeline: Timeline) -> model.Timeline:
    return model.Timeline.of({day: timeline[day] for day in timeline.get_dates()})
