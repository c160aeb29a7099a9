#!/usr/bin/env bash
# Runs every test, all parts even if one fails; the exit status is non-zero if any did. `make test` sets up what this needs.
set -u
cd "$(dirname "$0")/.."
export TF_CPP_MIN_LOG_LEVEL=2 CUDA_VISIBLE_DEVICES=-1
export COLUMNS=200 # for the lines that name what failed, and why
unset PYTHONDONTWRITEBYTECODE # hundreds of processes load the same files
set -o pipefail
failed=()
told="$(mktemp -d)"

part() {
    local name="$1"
    shift
    printf '\n=== %s\n' "$name"
    if ! "$@" 2>&1 | tee "$told/part"; then # the status is that of "$@": pipefail
        failed+=("=== $name" "$(grep -aE '^(FAILED|ERROR|E  |.*FAIL ) ' "$told/part" | cut -c1-300 | tail -40)")
    fi
}

# A file's tests stay in one process. Most wait half of the time, for a program that they run; more than two browsers at once are slower.
options=(--dist loadfile --durations=12)
oldest="oldest TensorFlow and TensorBoard (2.16)"
# Beside the others, which leave a core idle by themselves; told at the end. Of the unit tests those that have to do with
# TensorBoard, protobuf and werkzeug: the others know none of these. Of those that capture not what `tb-retrace try`, the
# gate and the demo do with what is recorded, nor what becomes of files in killed and forked processes, nor which of
# several workers is slow, nor how a recording is started, nor programs with their advice put in by hand, nor what is read
# of source, of plain Python objects and of who holds them. `make test-matrix` runs all on each version.
units=(tests/unit/backend tests/unit/events --ignore=tests/unit/backend/test_many_runs.py)
units+=(--ignore=tests/unit/backend/test_export_routes.py)
units+=(-k "not advice_keeps_its_promise and not (test_stale_values and not (keras or layer or model))")
for not_of_a_version in try gate demo ci_demo under_fire workers on_retrace recording_api; do
    units+=("--ignore=tests/capture/test_$not_of_a_version.py")
done
for read in python_uses read_by_helpers written_choices type_questions by_code known_lookups neutral_values; do # source
    units+=("--ignore=tests/capture/test_$read.py")
done
for plain in advice_on_python_values decided_alike dictionaries_of_a_class first_values hidden_classes kept_objects \
    own_of_instances plain_values python_state stale_answers static_attribute uses_of_held what_it_holds; do # objects
    units+=("--ignore=tests/capture/test_$plain.py")
done
.venv-oldest/bin/python -m pytest -q -n 2 "${options[@]}" -p no:cacheprovider "${units[@]}" tests/capture >"$told/oldest" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null; rm -rf "$told"' EXIT

part "front end (vitest)" .venv/bin/python build_backend/frontend_bundle.py test
part "browser" .venv/bin/python -m pytest -q -n 2 "${options[@]}" tests/browser
part "newest TensorFlow (2.21), backend, packages" .venv/bin/python -m pytest -q -n 3 "${options[@]}" tests --ignore=tests/browser

wait "$beside"
status_of_oldest=$?
told_of_oldest() {
    cat "$told/oldest"
    return "$status_of_oldest"
}
part "$oldest" told_of_oldest

if ((${#failed[@]})); then
    printf '\nFAILED:\n'
    printf '%s\n' "${failed[@]}"
    exit 1
fi
printf '\nall parts passed\n'
