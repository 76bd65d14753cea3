#!/usr/bin/env bash
# Sizes of files, words of comments and documentation, and the tests of these checks.
# They take Python 3.11, which AIRPATH_PYTHON may name elsewhere; without it they are left out, and this is printed.
set -euo pipefail
cd "$(dirname "$0")"
python=${AIRPATH_PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
  echo "lint: sizes and words skipped, there is no Python 3.11 ($python)"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "lint: sizes and words, there is no Python 3.11" >> "$AIRPATH_SKIPPED"
  exit 0
fi
"$python" -m unittest --quiet test_lint.py
"$python" sizes.py
"$python" words.py
