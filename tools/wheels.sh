#!/usr/bin/env bash
# Build the wheels of all members into dist/, and try them where no checkout is on the path.
#
# An editable install puts the repository root on sys.path, so that files outside the wheels can
# be imported by accident.  Here the wheels are installed into a bare environment in a temporary
# folder, with what they declare and nothing else, and the component tests run against them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob

root=$PWD
bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT

rm -rf dist
members=()
for project in components/*/pyproject.toml; do members+=("./${project%/pyproject.toml}"); done
echo "wheel: building $((1 + ${#members[@]}))"
.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir dist . "${members[@]}"
ls dist

echo "wheel: a bare environment with what the wheels declare"
# Names and versions of the lock, without the hashes: our own wheels have none in it.
sed -E '/^ *--hash/d; s/ *\\$//' requirements.lock >"$bare/constraints.txt"
.venv/bin/python -m venv "$bare/venv"
host=(dist/webhook_reactor-*.whl)
plugins=()
for wheel in dist/*.whl; do [ "$wheel" = "${host[0]}" ] || plugins+=("$wheel"); done
"$bare/venv/bin/pip" install --quiet --disable-pip-version-check --no-compile \
    --constraint "$bare/constraints.txt" "${host[0]}[embedded]" "${plugins[@]}" \
    pytest pytest-asyncio pytest-timeout pytest-randomly

cd "$bare"
venv/bin/python - "$root" <<'PYTHON'
import sys
from pathlib import Path

import reactor, streams

for package in (reactor, streams):
    assert not Path(package.__file__).is_relative_to(sys.argv[1]), package.__file__
PYTHON
venv/bin/reactor --help >/dev/null
venv/bin/reactor components >components.txt
for wheel in "$root"/dist/reactor_*.whl; do
    name=$(basename "$wheel" | cut -d- -f1)
    grep -q "${name//_/-}" components.txt || { echo "wheel: $name is not found by its entry point" >&2; exit 1; }
done

echo "wheel: the demo, from the wheels"
venv/bin/reactor demo >demo.txt || { cat demo.txt >&2; exit 1; }
tail -1 demo.txt

echo "wheel: the component tests against the wheels"
cp "$root/pyproject.toml" .
for member in "$root"/components/*/; do
    name=$(basename "$member")
    [ -d "$member/tests" ] && mkdir -p "tests/$name" && cp -r "$member/tests" "tests/$name/"
done
if [ -d tests ]; then
    venv/bin/pytest -q -p no:cacheprovider --rootdir . -c pyproject.toml tests
fi
echo "wheel: a component of somebody else's, from the template, beside the others"
cp "$root/tools/wheel_probe.py" .
venv/bin/python wheel_probe.py "$root/.venv/bin/python"
echo "wheel: all good"
