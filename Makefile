# linkwork: `make demo` shows it, `make test` proves it.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: help demo test lint test-long bench clean
.DEFAULT_GOAL := help

help:
	@echo "make demo       simulate Andrews' squeezing mechanism and show how good the answer is"
	@echo "make test       lint, types, layers and all tests (a few minutes)"
	@echo "make test-long  the tests that take longer"
	@echo "make lint       formatting, lint, types and layers only"
	@echo "make bench      measure linkwork beside its peers; writes benchmarks/RESULTS.md"
	@echo "make clean      remove everything that make made"

demo: $(VENV)/.installed
	$(BIN)/linkwork run examples/andrews.yaml

test: lint
	$(BIN)/python -m pytest -n auto

test-long: $(VENV)/.installed-dev
	$(BIN)/python -m pytest -n auto -m long

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) benchmarks/.venv-* benchmarks/.build build dist
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# an environment is made once; its stamps follow pyproject.toml, the package itself is installed in place
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "linkwork needs Python 3.11 or newer, and '$(PYTHON)' is" \
	         "$$($(PYTHON) --version 2>/dev/null || echo missing). Try: make PYTHON=python3.12 ..."; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || { \
	    echo "No virtual environment could be made. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	$(PIP) install --editable .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --editable ".[dev]"
	@touch $@
