# make test   is all a fresh machine needs: Python 3.11 to 3.13 with pip's registry in reach.
PYTHON ?= python3
VENV   ?= .venv
WORKERS ?= 2

RUN     := $(VENV)/bin/python
SOURCES := setup.py setup.cfg package.xml
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
# Errors only: warnings about a machine's registry set-up are not ours.
PIP := $(RUN) -m pip --quiet --quiet

.PHONY: help test lint types bench clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-6s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: lint types ## lint, type-check and run the tests (PYTEST_ADDOPTS is respected; WORKERS=2)
	@echo "== pytest"
	@PYTEST_ADDOPTS="-n $(WORKERS) --dist loadfile $$PYTEST_ADDOPTS" $(RUN) -m pytest -q

lint: $(VENV)/.test ## ruff
	@echo "== ruff"
	@$(RUN) -m ruff check .

types: $(VENV)/.test ## mypy
	@echo "== mypy"
	@$(RUN) -m mypy

bench: $(VENV)/.bench ## compare with other engines
	@$(RUN) -m benchmarks

clean: ## remove the environment, caches and build products
	@rm -rf $(VENV) build install log *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.test: requirements/test.txt $(SOURCES) | $(VENV)/.python
	@echo "== installing requirements/test.txt and this package into $(VENV) (a minute or two, once)"
	@$(PIP) install -r requirements/test.txt
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.test
	@echo "== adding the engines of requirements/bench.txt to $(VENV)"
	@$(PIP) install -r requirements/bench.txt
	@touch $@

# An environment that is there and works is kept.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "the pinned requirements need Python 3.11 or later; set PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "== installing python3-venv"; apt-get -qq update && apt-get -qq install -y python3-venv >/dev/null; \
		else echo "Python's venv module is missing: install python3-venv" >&2; exit 1; fi
	@[ -x $(RUN) ] && $(RUN) -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear $(VENV)
	@touch $@
