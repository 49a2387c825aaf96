#!/usr/bin/env bash
# Prism and GitHub's description of its API, at the versions of package.json, in a cache folder.
#
#   tools/prism/install.sh          install what is missing, and print the folder
#   tools/prism/install.sh where    print the folder if all is there, else exit 1
#
# Needs Node.js 18.20 or newer with npm, and the first time about a minute.  The folder is below
# REACTOR_PRISM_CACHE, or webhook-reactor/ in the user's cache folder, and holds
#   node_modules/.bin/prism    the server
#   api.github.com.json        the part of the description that excerpt.py leaves
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${REACTOR_PRISM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/webhook-reactor/prism}
version=$(cat "$here/package.json" "$here/excerpt.py" | cksum | cut -d' ' -f1)
folder=$cache/$version
python=$here/../../.venv/bin/python
[ -x "$python" ] || python=python3

is_there() { [ -e "$folder/api.github.com.json" ]; }

if [ "${1:-}" = where ]; then
    is_there || exit 1
    echo "$folder"
    exit
fi
if ! is_there; then
    command -v npm >/dev/null || {
        echo "prism: npm is needed (Node.js 18.20 or newer); install nodejs and npm" >&2
        exit 1
    }
    node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 18 || (a == 18 && b >= 20) ? 0 : 1)' || {
        echo "prism: Node.js is $(node --version); 18.20 or newer is needed" >&2
        exit 1
    }
    mkdir -p "$cache"
    made=$(mktemp -d "$cache/making.XXXXXX")
    trap 'rm -rf "$made"' EXIT
    cp "$here/package.json" "$made/"
    # No lock file: it would write down where each package was downloaded from.
    (cd "$made" && npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error) >&2
    described=$made/node_modules/@octokit/openapi/generated
    "$python" "$here/excerpt.py" "$described/api.github.com.json" "$made/api.github.com.json"
    rm -rf "$described" # 380 MB, most of it for other products
    [ -d "$folder" ] || mv "$made" "$folder" # somebody else may have been faster
fi
echo "$folder"
