#!/usr/bin/env bash
# Licences, sources and known faults of all dependencies, by the rules of deny.toml: deny.sh FOLDER.
#
# cargo-deny is installed into FOLDER, unless it is on the path or there. A check that cannot be made is left out
# and reported; advisories need their database from a network.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "$1"
folder=$(realpath "$1")
version=0.20.2
export PATH=$folder/bin:$PATH

skip() {
  echo "deny: skipped, $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "deny: $1" >> "$AIRPATH_SKIPPED"
}

if ! command -v cargo-deny > /dev/null; then
  cargo install --quiet --locked --root "$folder" cargo-deny --version "$version" \
    || { skip "cargo-deny cannot be installed (no network?)"; exit 0; }
fi
cargo-deny --locked check licenses bans sources
if cargo-deny fetch db > "$folder/advisories.txt" 2>&1; then
  cargo-deny --locked check advisories
else
  skip "advisories, as their database cannot be had"
fi
