#!/usr/bin/env bash
# The Python package: its tests, its examples and its types by mypy and by pyright, in an environment of its own.
# What is not there is left out and said.
#
#     python/tests/run.sh LIBRARY FOLDER
#
# LIBRARY is the module as cargo builds it; the environment and the package go to FOLDER.
# AIRPATH_PYTHON names an interpreter elsewhere.
set -euo pipefail
cd "$(dirname "$0")/../.."
library=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
python=${AIRPATH_PYTHON:-python3}
wanted=python/tests/requirements.txt

skip() {
  echo "python: skipped, $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "python: $1" >> "$AIRPATH_SKIPPED"
  exit 0
}

command -v "$python" > /dev/null || skip "there is no $python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$python is older than 3.11"
if ! cmp --quiet "$wanted" "$folder/installed.txt"; then
  rm -rf "$folder/venv" "$folder/installed.txt"
  "$python" -m venv "$folder/venv" || skip "$python has no venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$wanted" \
    || skip "what the tests need cannot be installed (no network?)"
  cp "$wanted" "$folder/installed.txt"
fi

# The package beside the module, as an installation has it.
rm -rf "$folder/package"
mkdir "$folder/package"
cp -r python/airpath "$folder/package/airpath"
cp "$library" "$folder/package/airpath/_airpath.abi3.so"
export PYTHONPATH=$folder/package PYTHONDONTWRITEBYTECODE=1
# Tables of studies are no part of the package.
export AIRPATH_STUDIES=$PWD/studies
cache=(-p no:cacheprovider)
"$folder/venv/bin/python" -m pytest "${cache[@]}" --numprocesses=2 --doctest-modules --pyargs airpath python/tests "${@:3}"
"$folder/venv/bin/python" -m mypy --strict --cache-dir "$folder/mypy" \
  --config-file pyproject.toml --package airpath
"$folder/venv/bin/basedpyright" --pythonpath "$folder/venv/bin/python"
