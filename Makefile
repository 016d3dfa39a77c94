# linkwork: `make demo` shows it, `make test` proves it.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
# the part of the many seeds of test-long that is tried
SHARE  ?= 1

.PHONY: help demo test lint test-long test-lowest test-newest test-with bench clean viewer browser docs
.DEFAULT_GOAL := help

help:
	@echo "make demo       simulate Andrews' squeezing mechanism, say how good the answer is, show it move"
	@echo "make test       lint, types, layers and all tests (a few minutes)"
	@echo "make test-long  the tests that take longer, some six hours on two cores; a tenth of their many seeds in two:"
	@echo "                make test-long SHARE=0.1"
	@echo "make test-lowest  all tests with the lowest versions of packages that are allowed (tests/lowest.txt)"
	@echo "make test-newest  all tests with the newest versions that there are: make test-newest PYTHON=python3.14"
	@echo "make lint       formatting, lint, types and layers only"
	@echo "make viewer     build the page that shows a mechanism move (needs npm)"
	@echo "make docs       write the tables of docs/format.md anew from the schema"
	@echo "make bench      measure linkwork beside its peers; writes benchmarks/RESULTS.md"
	@echo "make clean      remove everything that make made"

demo: $(VENV)/.installed viewer
	$(BIN)/linkwork run examples/andrews.yaml
	@if [ -e $(PAGE) ]; then echo "$(BIN)/linkwork view examples/andrews.yaml"; \
	    $(BIN)/linkwork view examples/andrews.yaml; fi

test: lint viewer browser
	$(BIN)/python -m pytest -n auto

test-long: $(VENV)/.installed-dev
	LINKWORK_SHARE=$(SHARE) $(BIN)/python -m pytest -n auto -m long
	LINKWORK_EXAMPLES=fresh $(BIN)/python -m pytest -n auto -m "hypothesis and not long"

# in environments of their own, made anew each time
test-lowest: viewer
	$(MAKE) --no-print-directory test-with VENV=.venv-lowest WITH="--constraint tests/lowest.txt"

test-newest: viewer
	$(MAKE) --no-print-directory test-with VENV=.venv-newest WITH="--upgrade --upgrade-strategy eager"

test-with:
	rm -rf $(VENV)
	$(MAKE) --no-print-directory VENV=$(VENV) $(VENV)/.created
	$(PIP) install $(WITH) --editable ".[test]"
	$(BIN)/python -m pip list --disable-pip-version-check | grep -i -E "^(numpy|scipy|pyyaml|typer|rich) "
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n auto $(TESTS)

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(VENV)/.installed
	$(BIN)/python docs/tables.py

bench: $(VENV)/.installed
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) .venv-lowest .venv-newest benchmarks/.venv-* benchmarks/.build build dist viewer/node_modules viewer/dist $(PAGE)
	rm -rf .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# the page is built where npm is; without it, or without the registry, everything else works and `linkwork view` says so
PAGE    := src/linkwork/view/page.html
SOURCES := $(wildcard viewer/src/*) viewer/index.html viewer/vite.config.js viewer/tsconfig.json

viewer:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(PAGE) || echo "The viewer could not be built."; \
	else echo "npm is missing, so the viewer is not built. On Debian and Ubuntu: apt-get install npm"; fi

$(PAGE): $(SOURCES) viewer/node_modules/.installed
	cd viewer && npm run --silent build

viewer/node_modules/.installed: viewer/package-lock.json
	cd viewer && npm install --silent --no-save --no-audit --no-fund
	@touch $@

# tests look at the page in a real browser if there is one; it is installed by .ci/run, never by make
browser: $(VENV)/.installed
	@$(BIN)/python -c 'import sys; from linkwork.view.browser import find_browser; sys.exit(find_browser() is None)' || \
	echo "There is no Chromium: tests in a browser will be skipped. On Debian: apt-get install chromium"

# an environment is made once; its stamps follow pyproject.toml, the package itself is installed in place
$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	    echo "linkwork needs Python 3.11 or newer, and '$(PYTHON)' is" \
	         "$$($(PYTHON) --version 2>/dev/null || echo missing). Try: make PYTHON=python3.12 ..."; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || { \
	    echo "No virtual environment could be made. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml
	$(PIP) install --editable ".[plot]"
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) install --editable ".[dev]"
	@touch $@
