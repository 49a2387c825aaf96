# Everything that a person or CI runs, one line each.  `make help` is the table of contents.
SHELL := bash
BIN := .venv/bin
BESIDE := --numprocesses 4 # tests wait for servers most of their time, so more than there are cores
.PHONY: help install demo up check fix test browser contract long golden chaos bench wheel lock screenshots
.DEFAULT_GOAL := help

help: ## Say what there is
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

install: ## Make .venv: the locked dependencies, Reactor and every component (again only after a change)
	@bash tools/install.sh

demo: install ## Send signed deliveries through the whole path, and print what was decided and why
	@$(BIN)/reactor demo

up: install ## Run gateway, worker and console on the embedded broker and Redis, data in ./data
	@$(BIN)/reactor up

check: install ## Formatting, lint, types, import contracts, declared dependencies
	@bash tools/check.sh

fix: install ## Mend what the formatter and the linter can mend, and write the generated pages
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format . && $(BIN)/python -m tools.reference

test: install ## Run the tests; what needs a server starts it, or is skipped with the reason
	@$(BIN)/pytest $(BESIDE) -m "not browser"

browser: install ## Look at the console in headless Chromium (needs Chromium; installs Playwright)
	@bash tools/browser.sh && REACTOR_REQUIRE=browser $(BIN)/pytest -m browser tests/browser

screenshots: install ## Take the pictures of the console that the docs show (needs Chromium)
	@bash tools/browser.sh && $(BIN)/python -m tests.browser.screenshots docs/images

SEED ?= 1
DELIVERIES ?= 2000
contract: install ## Hold every kind of effect against GitHub's own description of its API (needs Node.js)
	@bash tools/prism/install.sh >/dev/null && REACTOR_REQUIRE=prism $(BIN)/pytest -m prism tests/github_contract

long: install ## Run the tests that take minutes: they kill, stop and replace real processes
	@$(BIN)/pytest $(BESIDE) --long -m long

golden: install ## Write the golden journals of tests/replay anew; read what changes before you commit it
	@$(BIN)/python -m tests.replay.golden

chaos: install ## Break a whole installation on Apache Kafka and Redis while it works (SEED=7 DELIVERIES=2000)
	@$(BIN)/python -m tests.chaos.run --seed $(SEED) --deliveries $(DELIVERIES) $(ARGS)

bench: install ## Measure; each figure beside a floor that was measured in the same run
	@$(BIN)/python benchmarks/run.py

wheel: install ## Build all wheels into dist/, and try them in a bare environment elsewhere
	@bash tools/wheels.sh

lock: ## Resolve requirements.lock anew, keeping pins (all to the newest: make lock ARGS=--upgrade)
	@$(firstword $(wildcard $(BIN)/python) python3) tools/lock.py $(ARGS)
