# Everything needs only python3 (3.11 or newer) and make. The environment is made in .venv.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
STAMP  := $(VENV)/.ready
ADAPTERS := .venv-adapters
PEERS    := .venv-peers
# One more than there are cores: tests in a browser mostly wait for it.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(os.cpu_count() + 1)')
export PIP_CONSTRAINT := $(CURDIR)/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of processes: what they import is compiled once, also where the shell says no.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test fuzz mutation kills peers campaigns adapters lint bench docs reference pictures clean

help:  ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 11

$(CORE): pyproject.toml constraints.txt
	@echo "== making the environment in $(VENV)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 ..."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(STAMP): $(CORE)
	@echo "== adding what the tests and checks need"
	$(BIN)/python -m pip install --quiet --editable '.[test,lint,docs]'
	@touch $@

demo: $(CORE)  ## score the bundled timelines and print the tables
	$(BIN)/chronoscore demo --report build/demo --open

# Browser tests want Debian's Chromium, its headless shell where there is one: installed where that
# is allowed, else they are skipped aloud.
test: $(STAMP)  ## run every test
	@if ! { command -v chromium-headless-shell || command -v chromium; } >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "== installing chromium for the browser tests"; \
		{ apt-get update -qq && for name in chromium-headless-shell chromium; do \
			apt-get install -y -qq --no-install-recommends $$name && break; done; } >/dev/null 2>&1 \
			|| echo "== chromium could not be installed: browser tests are skipped"; \
	fi
	$(BIN)/python -m pytest -n $(WORKERS)

COUNT   ?= 20000
SECONDS ?= 900
SEED    ?=
fuzz: $(STAMP)  ## try random inputs: COUNT of them or SECONDS long; SEED repeats a run
	PYTHONPATH=tests $(BIN)/python -m fuzz --count $(COUNT) --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

MUTANTS ?= 300
mutation: $(STAMP)  ## change the source in MUTANTS places (SEED draws them), count what no test sees
	PYTHONPATH=tests $(BIN)/python -m mutation --count $(MUTANTS) $(if $(SEED),--seed $(SEED))

KILLS      ?= 1000
EVALUATORS ?= 50
kills: $(STAMP)  ## kill the workbench's server KILLS times under EVALUATORS, look for lost answers
	PYTHONPATH=tests $(BIN)/python -m kills --kills $(KILLS) --evaluators $(EVALUATORS) $(if $(SEED),--seed $(SEED))

# Apart: together they are large. irrCAC asks for an old scipy, which the others do not want, and
# works with a newer one.
PEER_PIP := PIP_CONSTRAINT=$(CURDIR)/tests/peers/constraints.txt $(PEERS)/bin/python -m pip install --quiet
$(PEERS)/.ready: pyproject.toml tests/peers/constraints.txt tests/peers/requirements.txt
	@echo "== making the environment of the peers in $(PEERS): 0.8 GB, some minutes"
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEER_PIP) --editable . --requirement tests/peers/requirements.txt
	$(PEER_PIP) --no-deps irrCAC
	@touch $@

PEER     ?=
peers: $(PEERS)/.ready  ## compare our numbers with those of other libraries; PEER=NAME for one
	PYTHONPATH=tests OMP_NUM_THREADS=1 $(PEERS)/bin/python -m peers --json build/peers.json --only "$(PEER)" $(if $(SEED),--seed $(SEED))

campaigns: $(STAMP)  ## the long checks: simulations, examples, fuzz, mutation, kills, peers; some hours
	$(BIN)/python -m pytest -n auto -m 'campaign or hypothesis' --hypothesis-profile=campaign
	$(BIN)/python -m benchmarks.simulate
	$(MAKE) fuzz
	$(MAKE) mutation
	$(MAKE) kills
	$(MAKE) peers

# Apart: they are large, and inspect_ai wants older versions than our other checks.
$(ADAPTERS)/.ready: pyproject.toml examples/constraints.txt
	@echo "== making the environment of the examples in $(ADAPTERS): 0.8 GB, some minutes"
	@test -x $(ADAPTERS)/bin/python || $(PYTHON) -m venv $(ADAPTERS)
	PIP_CONSTRAINT=$(CURDIR)/examples/constraints.txt $(ADAPTERS)/bin/python -m pip install --quiet --editable '.[adapters]'
	@touch $@

adapters: $(ADAPTERS)/.ready  ## test pytest, evaluate and inspect_ai with us
	$(ADAPTERS)/bin/python -m pytest tests/adapters

lint: $(STAMP)  ## ruff and mypy, strict; then the size of the house
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m scripts.measure_house

bench: $(STAMP)  ## run us and our peers side by side, print ratios
	$(BIN)/python -m benchmarks

reference: $(STAMP)  ## write what comes from the code into the documentation: pages, outputs
	$(BIN)/python -m scripts.write_docs
	$(BIN)/python -m scripts.record_figures --pages
	$(BIN)/python -m scripts.run_examples
	$(BIN)/python -m scripts.write_notebook

pictures: $(STAMP)  ## take the pictures of the documentation anew; needs chromium
	$(BIN)/python -m scripts.take_pictures

docs: reference  ## run the examples of the documentation, and build it into site/
	@# --quiet would hide warnings from --strict, too.
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "== documentation is in site/index.html"

clean:  ## remove the environment and everything that was built
	rm -rf $(VENV) $(ADAPTERS) $(PEERS) .bench dist build site .mypy_cache .ruff_cache .pytest_cache .hypothesis
