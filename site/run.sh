#!/usr/bin/env bash
# Builds the site and looks at every link of it: run.sh PROGRAM RUSTDOC FOLDER.
#
# PROGRAM says the schema and makes the reports of examples.txt, RUSTDOC is what `cargo doc` wrote. FOLDER gets an environment for what the
# site is built with, and the site itself as `html`. AIRPATH_PYTHON names an interpreter elsewhere.
# AIRPATH_VERSION names a version: the branch gh-pages of the repository then gets the site beside earlier versions.
# What is missing is said, and the site is left out. Once the environment is there, nothing is asked of a
# network.
set -euo pipefail
program=$(realpath "$1")
rustdoc=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3")
cd "$(dirname "$0")"
python=${AIRPATH_PYTHON:-python3}

skip() {
  echo "site: skipped, $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "site: $1" >> "$AIRPATH_SKIPPED"
  exit 0
}

command -v "$python" > /dev/null || skip "there is no $python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$python is older than 3.11"
if ! cmp --quiet requirements.txt "$folder/installed.txt"; then
  rm -rf "$folder/venv" "$folder/installed.txt"
  "$python" -m venv "$folder/venv" || skip "$python has no venv"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check --requirement requirements.txt \
    || skip "what it is built with cannot be installed (no network?)"
  cp requirements.txt "$folder/installed.txt"
fi

"$program" schema > "$folder/schema.json"
rm -rf "$folder/examples"
mkdir "$folder/examples"
"$program" new > "$folder/examples/templates.txt"
while read -r name; do
  "$program" new --quiet "$name" - | "$program" run --quiet --report="$folder/examples/$name.html" -
done < examples.txt
export AIRPATH_SCHEMA=$folder/schema.json AIRPATH_RUSTDOC=$rustdoc AIRPATH_SITE=$folder/html AIRPATH_EXAMPLES=$folder/examples
# The notice is about versions of MkDocs that are not installed here.
export PYTHONDONTWRITEBYTECODE=1 NO_MKDOCS_2_WARNING=1
"$folder/venv/bin/mkdocs" build --quiet --config-file mkdocs.yml
"$folder/venv/bin/python" links.py "$folder/html"
if [ -n "${AIRPATH_VERSION:-}" ]; then
  PATH=$folder/venv/bin:$PATH
  mike --quiet deploy --config-file mkdocs.yml --update-aliases "$AIRPATH_VERSION" latest
  mike --quiet set-default --config-file mkdocs.yml latest
  echo "the branch gh-pages has the site as version $AIRPATH_VERSION"
fi
echo "the site is in $folder/html; to search it, serve it: python3 -m http.server --directory $folder/html"
