# Everything needs only python3 (3.11 or newer) and make. The environment is made in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
STAMP  := $(VENV)/.ready
ADAPTERS := .venv-adapters
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test fuzz adapters lint bench docs reference clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

$(CORE): pyproject.toml constraints.txt
	@echo "== making the environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(STAMP): $(CORE)
	@echo "== adding what the tests and checks need"
	$(BIN)/python -m pip install --quiet --editable '.[test,lint]'
	@touch $@

demo: $(CORE)  ## score the bundled timelines and print the tables
	$(BIN)/chronoscore demo --report build/demo --open

# Browser tests want Debian's Chromium: installed where that is allowed, else they are skipped aloud.
test: $(STAMP)  ## run every test
	@if ! command -v chromium >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "== installing chromium for the browser tests"; \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } >/dev/null 2>&1 \
			|| echo "== chromium could not be installed: browser tests are skipped"; \
	fi
	$(BIN)/python -m pytest -n auto

COUNT   ?= 20000
SECONDS ?= 900
SEED    ?=
fuzz: $(STAMP)  ## try random inputs: COUNT of them or SECONDS long; SEED repeats a run
	PYTHONPATH=tests $(BIN)/python -m fuzz --count $(COUNT) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Apart: they are large, and inspect_ai wants older versions than our other checks.
$(ADAPTERS)/.ready: pyproject.toml examples/constraints.txt
	@echo "== making the environment of the examples in $(ADAPTERS): 0.8 GB, some minutes"
	@test -x $(ADAPTERS)/bin/python || $(PYTHON) -m venv $(ADAPTERS)
	PIP_CONSTRAINT=$(CURDIR)/examples/constraints.txt $(ADAPTERS)/bin/python -m pip install --quiet --editable '.[adapters]'
	@touch $@

adapters: $(ADAPTERS)/.ready  ## test pytest, evaluate and inspect_ai with us
	$(ADAPTERS)/bin/python -m pytest tests/adapters

lint: $(STAMP)  ## ruff and mypy, strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(STAMP)  ## run us and our peers side by side, print ratios
	$(BIN)/python -m benchmarks

reference: $(STAMP)  ## write the pages of the documentation that come from the code
	$(BIN)/python -m scripts.write_docs

docs: $(STAMP)  ## build the documentation into site/
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	$(BIN)/mkdocs build --strict --quiet
	@echo "== documentation is in site/index.html"

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) $(ADAPTERS) .bench dist build site .mypy_cache .ruff_cache .pytest_cache .hypothesis
