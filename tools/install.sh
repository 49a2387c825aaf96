#!/usr/bin/env bash
# Make .venv hold what requirements.lock names, and Reactor with its components, editable.
#
# Two steps, because pip refuses hashes and editables in one: first the locked, hashed set (pip and
# the build backend are in it), then our own distributions without their dependencies.  Quick when
# nothing changed: .venv/.installed holds a digest of the lock and of every pyproject.toml.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.venv
members=()
for project in components/*/pyproject.toml; do
    [ -e "$project" ] && members+=("${project%/pyproject.toml}")
done

digest() {
    local files=(requirements.lock pyproject.toml tools/install.sh)
    for member in ${members[@]+"${members[@]}"}; do files+=("$member/pyproject.toml"); done
    cksum "${files[@]}"
    pwd -P
}

works_here() { # a checkout that was moved has scripts that name another folder
    "$venv/bin/python" -c '' 2>/dev/null && grep -qF "$(pwd -P)/$venv/" "$venv/bin/pip" 2>/dev/null
}

is_new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    for python in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
        if is_new_enough "$python"; then
            echo "$python"
            return
        fi
    done
    echo "install: Python 3.11 or newer is needed, and neither ${PYTHON:-python3} nor" \
        "python3.11 to 3.13 is; install one, then: make install PYTHON=/path/to/python3" >&2
    exit 1
}

wanted=$(digest)
if [ "$wanted" = "$(cat "$venv/.installed" 2>/dev/null)" ] && works_here; then
    exit 0
fi

if ! works_here; then
    python=$(find_python)
    echo "install: $venv with $("$python" --version)"
    if ! "$python" -m venv --clear "$venv"; then
        echo "install: $python cannot make a venv; on Debian: apt-get install python3-venv" >&2
        exit 1
    fi
fi
rm -f "$venv/.installed"

if command -v uv >/dev/null; then
    installer=(uv pip install --quiet --python "$venv/bin/python")
    fast=()
else
    installer=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)
    fast=(--no-compile) # most of it is never imported; Python compiles the rest when it is
fi

editables=(-e .)
for member in ${members[@]+"${members[@]}"}; do editables+=(-e "$member"); done

echo "install: the locked dependencies (about a minute the first time)"
if [ ${#fast[@]} -gt 0 ]; then # the locked pip first: it needs a third of the time for the rest
    awk '/^[a-z]/ { ours = /^pip==/ } ours' requirements.lock >"$venv/pip.lock"
    "${installer[@]}" --require-hashes -r "$venv/pip.lock"
fi
"${installer[@]}" ${fast[@]+"${fast[@]}"} --no-deps --require-hashes -r requirements.lock
echo "install: webhook-reactor and ${#members[@]} component packages, editable"
"${installer[@]}" --no-deps --no-build-isolation "${editables[@]}"

# A component whose folder is gone is still installed, and would be reported as broken.
read -ra gone < <("$venv/bin/python" - <<'PYTHON'
import json
from importlib.metadata import distributions
from pathlib import Path
from urllib.parse import unquote, urlsplit

installed = {found.name: found.read_text("direct_url.json") for found in distributions()}
folders = {name: urlsplit(json.loads(origin)["url"]) for name, origin in installed.items() if origin}
print(*(n for n, url in folders.items() if url.scheme == "file" and not Path(unquote(url.path)).is_dir()))
PYTHON
)
[ ${#gone[@]} -eq 0 ] || "$venv/bin/python" -m pip uninstall --quiet --yes "${gone[@]}"

echo "$wanted" >"$venv/.installed"
