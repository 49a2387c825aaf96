#!/usr/bin/env bash
# All static checks, to the end even if one fails; only what fails is printed.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob

bin=$PWD/.venv/bin
failed=()
run() {
    local name=$1
    shift
    local output
    echo "check: $name"
    output=$("$@" 2>&1) && return
    echo "$output"
    failed+=("$name")
}

members=()
tests=()
for project in components/*/pyproject.toml; do
    members+=("${project%/pyproject.toml}")
    [ -d "${project%/pyproject.toml}/tests" ] && tests+=("${project%/pyproject.toml}/tests")
done
packages=(components/*/reactor_*/)
bases=$(IFS=: && echo "${members[*]}")

# Three runs over one cache, since a file's module name depends on where it is started from: the
# folder of a component is the base of its package; tests of components are named by their path from
# the root, for every component has a conftest.py; a benchmark is a script and sees its neighbours.
types_of_packages() { MYPYPATH=$bases "$bin/mypy" reactor streams tests tools "${packages[@]}"; }
types_of_component_tests() { [ ${#tests[@]} -eq 0 ] || "$bin/mypy" "${tests[@]}"; }
types_of_benchmarks() { MYPYPATH=benchmarks:$bases "$bin/mypy" benchmarks; }

# Each distribution declares what it imports, and imports what it declares.
dependencies() {
    local status=0
    "$bin/deptry" . --no-ansi || status=1
    for member in "${members[@]}"; do
        (cd "$member" && "$bin/deptry" . --no-ansi --package-module-name-map webhook-reactor=reactor) || status=1
    done
    return $status
}

run "ruff format" "$bin/ruff" format --check --quiet .
run "ruff check" "$bin/ruff" check --quiet .
run "mypy" types_of_packages
run "mypy, tests of components" types_of_component_tests
run "mypy, benchmarks" types_of_benchmarks
run "import contracts" "$bin/lint-imports" --no-cache --no-logo
run "deptry" dependencies

if [ ${#failed[@]} -gt 0 ]; then
    printf 'check: FAILED: %s\n' "$(IFS=, && echo "${failed[*]}")"
    exit 1
fi
echo "check: all good"
