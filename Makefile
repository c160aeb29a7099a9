# Everything sets itself up: the first run of a target installs what it needs into .venv*, later runs find it done.
PYTHON ?= python3
PREPARE = @$(PYTHON) scripts/prepare.py
PY = .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench frontend proto screenshots clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: ## Train small Keras models with real retraces, then open TensorBoard on them (DEMO_PORT, DEMO_SERVE=0, DEMO_LOGDIR)
	$(PREPARE) newest bundle
	@$(PY) demo

test: ## Run every test: front end, newest and oldest TensorFlow, browser, packages
	$(PREPARE) newest oldest xprof node bundle chromium
	@bash scripts/test.sh

lint: ## Check style and types, Python and TypeScript
	$(PREPARE) newest node
	@bash scripts/lint.sh

bench: ## Measure what recording, comparing graphs and the tab cost (BENCH=--quick)
	$(PREPARE) newest node bundle chromium
	@TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=-1 $(PY) tests/benchmarks/trace_overhead.py $(BENCH)
	@TF_CPP_MIN_LOG_LEVEL=3 CUDA_VISIBLE_DEVICES=-1 $(PY) tests/benchmarks/graph_bytes.py
	@$(PY) -m tests.benchmarks.graph_difference $(BENCH)
	@$(PY) tests/benchmarks/graph_view.py $(BENCH)
	@$(PY) tests/benchmarks/tab.py $(BENCH)

frontend: ## Build the tab's bundle into tb_retrace_plugin/backend/static/
	$(PREPARE) newest node
	@$(PY) build_backend/frontend_bundle.py build --force

proto: ## Generate schema/retrace_pb2.py and .pyi from retrace.proto (needs Python 3.11)
	$(PREPARE) proto
	@PATH="$(CURDIR)/.venv-proto/bin:$$PATH" .venv-proto/bin/python -m grpc_tools.protoc -I. --python_out=. --mypy_out=. tb_retrace_plugin/schema/retrace.proto

screenshots: ## Take the README's screenshots from the demo's tab
	$(PREPARE) newest bundle chromium
	@$(PY) scripts/screenshots.py

clean: ## Remove what was built and installed here
	rm -rf .venv .venv-oldest .venv-xprof .venv-proto build dist *.egg-info frontend/node_modules tb_retrace_plugin/backend/static
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis test-results logs
