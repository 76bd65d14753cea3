#!/usr/bin/env bash
# Instructions of short runs, beside those that are kept; what is not installed is named as skipped.
#
#     run.sh compare|keep PROFILE PROGRAM
#
# It takes Python 3.11, which AIRPATH_PYTHON may name elsewhere, and valgrind.
set -euo pipefail
folder=$(dirname "$0")
python=${AIRPATH_PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2> /dev/null; then
  echo "instructions: skipped, there is no Python 3.11 ($python)"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "instructions: there is no Python 3.11" >> "$AIRPATH_SKIPPED"
  exit 0
fi
"$python" -m unittest discover --quiet --start-directory "$folder"
"$python" "$folder/count.py" "$@"
