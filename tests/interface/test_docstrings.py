"""The reference of the Python API says everything: parameters, results, and an example each."""

import inspect
from typing import Any

import pytest

import chronoscore
from chronoscore import testing

PUBLIC: dict[str, Any] = {
    name: getattr(chronoscore, name) for name in chronoscore.__all__ if name != "__version__"
} | {"assert_scores": testing.assert_scores}
FUNCTIONS = {name: one for name, one in PUBLIC.items() if inspect.isfunction(one)}
CLASSES = {name: one for name, one in PUBLIC.items() if inspect.isclass(one)}


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_an_example(name: str) -> None:
    assert ">>> " in (inspect.getdoc(PUBLIC[name]) or "")


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_explains_its_parameters(name: str) -> None:
    function = FUNCTIONS[name]
    parameters = [*inspect.signature(function).parameters]
    text = inspect.getdoc(function) or ""
    if len(parameters) > 1:
        assert [one for one in parameters if f"`{one}`" not in text] == []


@pytest.mark.parametrize("name", CLASSES)
def test_public_methods_are_described(name: str) -> None:
    for method, one in vars(CLASSES[name]).items():
        if not method.startswith("_") and (callable(one) or isinstance(one, property)):
            assert inspect.getdoc(one), method
