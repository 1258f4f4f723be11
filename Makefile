PYTHON ?= python3
BIN := .venv/bin
# Tests start many processes, which need not compile everything each time.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run test test-long lint types check docs bench lock clean

help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.venv/run: requirements/run.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Tidings needs Python 3.11 or newer; set PYTHON=/path/to/python3.11."; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pinned dependencies into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev: .venv/run requirements/dev.txt
	@echo "Installing the development tools into .venv ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

CLIENTS := tests/clients/js/node_modules
# Tests often wait for a browser or a starting process: half as many again as there are cores.
WORKERS = $$(( $$(getconf _NPROCESSORS_ONLN) * 3 / 2 ))

$(CLIENTS): tests/clients/js/package-lock.json
	@command -v npm >/dev/null || { echo "Node.js is missing: the JavaScript clients will not be tested."; exit 0; }; \
	echo "Installing the pinned JavaScript clients ..."; cd tests/clients/js && npm ci --silent && touch node_modules

setup: .venv/run ## Make .venv with the tidings command in it.

run: .venv/run ## Start Tidings on http://127.0.0.1:8080.
	@exec $(BIN)/tidings serve

test: .venv/dev $(CLIENTS) ## Run the tests (sets everything up by itself).
	$(BIN)/pytest -n $(WORKERS) --maxschedchunk=1 -m "not slow"

test-long: .venv/dev $(CLIENTS) ## Run the tests that take minutes.
	$(BIN)/pytest -n $(WORKERS) --maxschedchunk=1 -m slow

lint: .venv/dev ## Check style and formatting.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev ## Check types.
	$(BIN)/mypy

check: lint types test ## Everything that must pass before a commit.

docs: .venv/dev ## Write the generated reference pages anew.
	$(BIN)/python -m docs.generate

bench: .venv/dev ## Measure (loopback only, stops by itself).
	$(BIN)/python -m bench

lock: .venv/dev ## Pin the dependencies anew (names, versions and hashes only).
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml --group build -o requirements/run.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --no-header pyproject.toml --group build --group dev -c requirements/run.txt -o requirements/dev.txt

clean: ## Remove .venv and what tools leave behind; keeps your data.
	rm -rf $(CLIENTS) .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis
