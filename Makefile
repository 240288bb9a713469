# Two commands do everything on a fresh machine with Python 3.11 or newer:
#   make serve   serve the site at http://127.0.0.1:8000, with live reload
#   make test    install the test dependencies and run all tests

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
TRAINERS := .venv-trainers

# Silence the notices of Material and MkDocs about their successors; our own warnings must stay visible.
export NO_MKDOCS_2_WARNING := 1
export DISABLE_MKDOCS_2_WARNING := true

ifdef SITE_URL
export SITE_URL
endif

.DEFAULT_GOAL := help
.PHONY: help serve build test trainers browser lint bench sbom pin offline release clean

help:  ## list all targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

serve: $(VENV)/.ready  ## serve the site with live reload
	$(BIN)/mkdocs serve

# make build SITE_URL=https://example.org/survey/ builds for that address
build: $(VENV)/.ready .cache/browser/.ready  ## build the site into site/
	$(BIN)/mkdocs build --strict

# test files run in the order set by tests/browser/conftest.py, not by their number of tests
test: $(VENV)/.ready-dev  ## run all tests but those of make trainers
	@tests/system-packages
	@$(MAKE) --no-print-directory browser
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

# in an environment of its own, since these packages are large and nothing else needs them; on a processor
trainers: $(TRAINERS)/.ready  ## run the tests that need real training packages (torch, trl, comlrl), and install these
	PYTHONPATH=. $(TRAINERS)/bin/python -m pytest --noconftest -m trainers $(addprefix tests/traces/credit/trainers/test_,real_trainers.py transformers.py) $(ARGS)

# the page Open a log runs the toolkit in it; every later build takes it along
browser: .cache/browser/.ready  ## fetch Python for browsers (needs npm)
	@test -e $<

lint: $(VENV)/.ready-dev  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready-dev  ## run the benchmarks, each a ratio to a baseline in the same run
	$(BIN)/python -m tests.benchmarks $(ARGS)

sbom: $(VENV)/.ready  ## write a software bill of materials: sbom.cdx.json
	@mkdir -p .cache
	$(BIN)/python -m survey.site.publishing.bill_of_materials sbom > .cache/sbom.cdx.json
	mv .cache/sbom.cdx.json sbom.cdx.json

# make offline SITE_URL=https://example.org/survey/ records where the site is published
offline: $(VENV)/.ready-dev .cache/browser/.ready  ## pack the site, its data and its source into offline/
	rm -rf .cache/offline
	$(BIN)/mkdocs build --strict --site-dir .cache/offline/site
	$(BIN)/python -m hatchling build --target sdist --directory .cache/offline/source
	$(BIN)/python -m survey.site.publishing.bill_of_materials sbom > .cache/offline/sbom.cdx.json
	$(BIN)/python -m survey.site.publishing.offline.offline .cache/offline offline

# make release EDITION=2026-05-04 SITE_URL=https://example.org/survey/ releases another edition, for that address
release: $(VENV)/.ready  ## write an edition to attach and archive into release/
	$(BIN)/python -m survey.site.publishing.release.release release $(EDITION)

clean:  ## remove the environment and everything built
	rm -rf $(VENV) $(TRAINERS) site offline release sbom.cdx.json .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The environment is created once, and updated when its requirements have changed: with uv where it is installed.
# Each file that is installed has a hash in requirements/, what builds from source included.

INSTALL := $(if $(shell command -v uv 2>/dev/null),uv pip install --python $(BIN)/python,$(BIN)/python -m pip install --disable-pip-version-check)

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1); Python 3.11 or newer is needed."; \
	  echo "Name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot create a virtual environment (on Debian: apt-get install python3-venv)."; exit 1; }
	@touch $@

$(VENV)/.ready: $(VENV)/.python pyproject.toml requirements/build.txt requirements/site.txt
	@echo "Installing the survey into $(VENV): about 100 packages, once ..."
	@$(INSTALL) --require-hashes --only-binary :all: --requirement requirements/build.txt --requirement requirements/site.txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready requirements/dev.txt
	@echo "Installing what the tests need into $(VENV), once ..."
	@$(INSTALL) --require-hashes --no-build-isolation --requirement requirements/dev.txt
	@touch $@

# without npm there is no such file, and a site without that one page working
.cache/browser/.ready: survey/site/pages/traces/open_log/runtime.py survey/site/pages/traces/open_log/packing.py | $(VENV)/.ready
	@$(BIN)/python -m survey.site.pages.traces.open_log.runtime .cache/browser

# These have versions but no hashes: requirements/trainers.txt says why.
$(TRAINERS)/.ready: requirements/trainers.txt | $(VENV)/.python
	@echo "Installing the training packages into $(TRAINERS): about 1.6 GB, once ..."
	@$(PYTHON) -m venv $(TRAINERS)
	@$(subst $(BIN),$(TRAINERS)/bin,$(INSTALL)) --only-binary :all: --requirement requirements/trainers.txt
	@touch $@

# A version stays until its range, or ARGS=--upgrade, asks for another. site.txt and build.txt take theirs from dev.txt.

COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate \
  --no-emit-index-url --no-emit-find-links --custom-compile-command "make pin"

pin:  ## pin every dependency by version and hash: requirements/ (needs uv; ARGS=--upgrade for newer versions)
	$(COMPILE) $(ARGS) pyproject.toml --extra dev --output-file requirements/dev.txt
	$(COMPILE) pyproject.toml --extra site --constraints requirements/dev.txt --output-file requirements/site.txt
	$(COMPILE) $(ARGS) --group build --constraints requirements/dev.txt --output-file requirements/build.txt
	$(COMPILE) $(ARGS) --group audit --output-file requirements/audit.txt
