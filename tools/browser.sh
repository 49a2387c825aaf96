#!/usr/bin/env bash
# Put into .venv what drives a browser: the group `browser` of pyproject.toml.  Quick when it is there.
#
# The browser itself is the machine's own (Debian: apt-get install chromium); Playwright downloads none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if command -v uv >/dev/null; then
    uv pip install --quiet --python .venv/bin/python --group browser
else
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --group browser
fi
