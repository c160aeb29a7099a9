#!/usr/bin/env bash
# All checks, even if one fails; the exit status is non-zero if any did. `make lint` sets up what this needs.
set -u
cd "$(dirname "$0")/.."
failed=()

check() {
    printf '=== %s\n' "$*"
    "$@" || failed+=("$*")
}

check .venv/bin/python -m ruff check .
check .venv/bin/python -m ruff format --check .
check .venv/bin/python -m mypy
check .venv/bin/python build_backend/frontend_bundle.py check

if ((${#failed[@]})); then
    printf '\nFAILED: %s\n' "${failed[@]}"
    exit 1
fi
printf '\nall checks passed\n'
