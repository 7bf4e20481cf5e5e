# Two commands: `make demo` and `make test`. Each does what set-up is missing first.
SHELL := /bin/bash
PY := .venv/bin/python
BUILD := build/release

.PHONY: demo test check-long setup bench lint format asan clean

setup:
	@scripts/setup.sh

demo: setup
	@$(PY) -m wavewright.demo

test: setup
	@scripts/test.sh

# Everything: every long test, every sanitizer, every fuzzer.
check-long: setup
	@scripts/check_long.sh

bench: setup
	@$(BUILD)/bench/bench_compile
	@$(BUILD)/bench/bench_emulator

lint: setup
	@scripts/lint.sh

format:
	@git ls-files '*.h' '*.cpp' | xargs clang-format-22 -i
	@$(PY) -m ruff format python tests examples scripts

clean:
	rm -rf build
