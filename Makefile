# Every target works on a fresh machine that has Python 3.11 or newer and make: what is missing is installed
# into .venv first, once, and again when pyproject.toml or constraints.txt change.

# The first of these that exists and is new enough; make PYTHON=/path/to/python overrides it.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	if "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then echo "$$p"; break; fi; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
DEV := $(VENV)/.installed-dev
DOCS := $(VENV)/.installed-docs
SOURCES := src tests soak benchmarks examples docs
LONGEST_FILE := 600
# The peers of the benchmark, one requirement a line.
PEERS := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["bench"], sep="\n")

PAGE = frontend/node_modules/.package-lock.json

.PHONY: help demo test test-browser page cover soak lint bench bench-full docs images papers clean distclean
.DELETE_ON_ERROR:

help:
	@echo 'make demo       simulate a four-bar linkage, print a report, write demo.png'
	@echo 'make test       run the tests (ARGS="-k name" chooses some)'
	@echo 'make test-browser  drive the studio, animations and the documentation in a real browser (chromium)'
	@echo 'make page       build the page of the studio from frontend/ (needs Node)'
	@echo 'make cover      run kernels in plain Python and say which of their lines a short set of runs goes through'
	@echo 'make soak       run the tests on other processors, versions, orders and caches, in an hour (ARGS="matrix --only generic")'
	@echo 'make lint       ruff, mypy, import-linter, lines that stand twice, length of files'
	@echo 'make bench      benchmarks beside the peers that can be installed, in five minutes; make bench-full: all, in 45'
	@echo 'make docs       build the documentation into docs/_build/html'
	@echo 'make papers     make the tables and figures of the five papers again, print beside ours'
	@echo 'make images     make the pictures of README and documentation again'
	@echo 'make clean      remove what the targets made; make distclean removes .venv too'

demo: $(DEV)
	$(BIN)/python examples/four_bar_demo.py

# Many tests start a Python of their own, each of which would compile every module anew where bytecode is not kept.
test: $(DEV)
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -n 2 --dist loadfile -m "not browser" $(ARGS)

test-browser: $(DEV) $(DOCS)
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest -m browser tests/test_studio_*.py tests/test_animation_closed.py tests/test_report.py tests/test_site.py $(ARGS)

page: $(PAGE)
	cd frontend && npm run check && npm run build

$(PAGE): frontend/package.json frontend/package-lock.json
	cd frontend && npm install
	@touch $@

cover: $(DEV)
	$(BIN)/python soak/cover.py

soak: $(DEV)
	$(BIN)/python soak/run.py $(ARGS)

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pylint --score=n src/jourdain
	@find $(SOURCES) -name '*.py' -exec wc -l {} + | awk '$$2 != "total" && $$1 > $(LONGEST_FILE) \
		{ print $$2 ": " $$1 " lines, more than $(LONGEST_FILE)"; long = 1 } END { exit long }'

bench bench-full: $(DEV)
	@$(BIN)/python -c '$(PEERS)' | while read -r peer; do \
		$(PIP) --only-binary=:all: "$$peer" || echo "bench: $$peer cannot be installed here; going on without it"; \
	done
	$(BIN)/python benchmarks/run.py $(if $(filter bench-full,$@),--full --rounds 40) $(ARGS)
	$(if $(filter bench-full,$@),$(BIN)/python benchmarks/run.py --variants)
	$(BIN)/python docs/make_performance.py

docs: $(DOCS)
	$(BIN)/sphinx-build -W --keep-going -b html docs docs/_build/html
	@echo 'Written to docs/_build/html/index.html'

images: $(DEV)
	$(BIN)/python docs/make_images.py
	$(BIN)/python docs/make_joli.py
	$(BIN)/python docs/make_modular.py
	$(BIN)/python docs/make_studies.py
	$(BIN)/python docs/make_gallery.py

papers: $(DEV)
	$(BIN)/python docs/make_papers.py $(ARGS)

clean:
	rm -rf build dist docs/_build .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache demo*.png
	find $(SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf $(VENV)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo 'No Python 3.11 or newer was found. Install one, or say make PYTHON=/path/to/python'; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed-%: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[$*]'
	@touch $@
