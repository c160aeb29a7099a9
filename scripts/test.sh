#!/usr/bin/env bash
# Runs every test, all parts even if one fails; the exit status is non-zero if any did. `make test` sets up what this needs.
set -u
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2 CUDA_VISIBLE_DEVICES=-1
unset PYTHONDONTWRITEBYTECODE # hundreds of processes load the same files
failed=()

part() {
    local name="$1"
    shift
    printf '\n=== %s\n' "$name"
    "$@" || failed+=("$name")
}

# A file's tests stay in one process. Most wait half of the time, for a program that they run; more than two browsers at once are slower.
options=(--dist loadfile --durations=12)
oldest="oldest TensorFlow and TensorBoard (2.16)"
# Beside the others, which leave a core idle by themselves; told at the end.
told="$(mktemp)"
# Without the comparison of graphs in numbers and words, which knows neither: tests/capture compares those of its TensorFlow.
numbers=(--ignore=tests/unit/graphs/test_match.py --ignore=tests/unit/graphs/test_difference.py)
.venv-oldest/bin/python -m pytest -q -n 2 "${options[@]}" -p no:cacheprovider tests/unit tests/capture "${numbers[@]}" >"$told" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null; rm -f "$told"' EXIT

part "front end (vitest)" .venv/bin/python build_backend/frontend_bundle.py test
part "browser" .venv/bin/python -m pytest -q -n 2 "${options[@]}" tests/browser
part "newest TensorFlow (2.21), backend, packages" .venv/bin/python -m pytest -q -n 3 "${options[@]}" tests --ignore=tests/browser

told_of_oldest() {
    wait "$beside"
    local status=$?
    cat "$told"
    return "$status"
}
part "$oldest" told_of_oldest

if ((${#failed[@]})); then
    printf '\nFAILED: %s\n' "${failed[@]}"
    exit 1
fi
printf '\nall parts passed\n'
