#!/usr/bin/env bash
# Runs every test, all parts even if one fails; the exit status is non-zero if any did. `make test` sets up what this needs.
set -u
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2 CUDA_VISIBLE_DEVICES=-1
failed=()

part() {
    local name="$1"
    shift
    printf '\n=== %s\n' "$name"
    "$@" || failed+=("$name")
}

part "front end (vitest)" .venv/bin/python build_backend/frontend_bundle.py test
# A file's tests stay in one process; of most, the processor is idle half of the time. More than two browsers at once are slower.
two=(-n 2 --dist loadfile --durations=12)
part "oldest TensorFlow and TensorBoard (2.16)" .venv-oldest/bin/python -m pytest -q "${two[@]}" -p no:cacheprovider tests/unit tests/capture
part "newest TensorFlow (2.21), backend, browser, packages" .venv/bin/python -m pytest -q "${two[@]}" tests

if ((${#failed[@]})); then
    printf '\nFAILED: %s\n' "${failed[@]}"
    exit 1
fi
printf '\nall parts passed\n'
