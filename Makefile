# Everything sets itself up: the first run of a target installs what it needs into .venv*, later runs find it done.
PYTHON ?= python3
PREPARE = @$(PYTHON) scripts/prepare.py
PY = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo test test-matrix lint bench frontend proto screenshots clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Train small Keras models with real retraces, then open TensorBoard on them (DEMO_PORT, DEMO_SERVE=0, DEMO_LOGDIR)
	$(PREPARE) newest bundle
	@$(PY) demo

test: ## Run every test: front end, newest and oldest TensorFlow, browser, packages
	$(PREPARE) newest oldest xprof node bundle headless
	@bash scripts/test.sh

lint: ## Check style and types, Python and TypeScript
	$(PREPARE) newest node
	@bash scripts/lint.sh

bench: ## Measure recording, viewing and comparing beside what there is instead; writes docs/benchmarks.md (BENCH="NAME …")
	$(PREPARE) newest node bundle chromium
	@$(PY) -m tests.benchmarks $(BENCH)

test-matrix: ## Run the tests on many versions of Python and TensorFlow; writes docs/versions.md (MATRIX="ROW …")
	@$(PYTHON) scripts/test_matrix.py $(MATRIX)

frontend: ## Build the tab's bundle into tb_retrace_plugin/backend/static/
	$(PREPARE) newest node
	@$(PY) build_backend/frontend_bundle.py build --force

proto: ## Generate schema/retrace_pb2.py and .pyi from retrace.proto (needs Python 3.11)
	$(PREPARE) proto
	@PATH="$(CURDIR)/.venv-proto/bin:$$PATH" .venv-proto/bin/python -m grpc_tools.protoc -I. --python_out=. --mypy_out=. tb_retrace_plugin/schema/retrace.proto

screenshots: ## Run the tests that take the pictures which README and docs show, and put these into docs/images/
	$(PREPARE) newest bundle headless
	@$(PY) scripts/screenshots.py

clean: ## Remove what was built and installed here
	rm -rf .venv .venv-oldest .venv-xprof .venv-proto build dist *.egg-info frontend/node_modules tb_retrace_plugin/backend/static
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results logs
