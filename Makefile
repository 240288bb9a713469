# Two commands do everything on a fresh machine with Python 3.11 or newer:
#   make serve   the site, live, at http://127.0.0.1:8000
#   make test    all tests, with what they need installed first

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

# Material and MkDocs print notices about their successors; warnings of ours must stay visible.
export NO_MKDOCS_2_WARNING := 1
export DISABLE_MKDOCS_2_WARNING := true

ifdef SITE_URL
export SITE_URL
endif

.DEFAULT_GOAL := help
.PHONY: help serve build test lint bench sbom offline clean

help:  ## what can be made
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

serve: $(VENV)/.ready  ## show the site while you edit it
	$(BIN)/mkdocs serve

# make build SITE_URL=https://example.org/survey/ builds for that address
build: $(VENV)/.ready  ## build the site into site/
	$(BIN)/mkdocs build --strict

# files are tested in the order that tests/browser/conftest.py gives, not by their number of tests
test: $(VENV)/.ready-dev  ## run all tests
	@tests/system-packages
	$(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder $(ARGS)

lint: $(VENV)/.ready-dev  ## check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.ready-dev  ## measure speed, each figure against a peer in the same run
	$(BIN)/python -m tests.benchmarks $(ARGS)

sbom: $(VENV)/.ready  ## list what the site is built from, for audits: sbom.cdx.json
	@mkdir -p .cache
	$(BIN)/python -m survey.site.publishing.bill_of_materials sbom > .cache/sbom.cdx.json
	mv .cache/sbom.cdx.json sbom.cdx.json

# make offline SITE_URL=https://example.org/survey/ says in it where the site is published
offline: $(VENV)/.ready-dev  ## put the whole site, and all it is computed from, into the folder offline/
	rm -rf .cache/offline
	$(BIN)/mkdocs build --strict --site-dir .cache/offline/site
	$(BIN)/python -m hatchling build --target sdist --directory .cache/offline/source
	$(BIN)/python -m survey.site.publishing.bill_of_materials sbom > .cache/offline/sbom.cdx.json
	$(BIN)/python -m survey.site.publishing.offline.offline .cache/offline offline

clean:  ## remove the environment and everything built
	rm -rf $(VENV) site offline sbom.cdx.json .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The environment, made once; made again when what it consists of has changed.

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>&1); Python 3.11 or newer is needed."; \
	  echo "Name one with: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { \
	  echo "$(PYTHON) cannot make a virtual environment (on Debian: apt-get install python3-venv)."; exit 1; }
	@touch $@

$(VENV)/.ready: $(VENV)/.python pyproject.toml constraints.txt
	@echo "Installing the survey into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.ready-dev: $(VENV)/.ready
	@echo "Installing what tests need into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@
