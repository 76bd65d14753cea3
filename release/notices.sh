#!/usr/bin/env bash
# Writes the notices of all licences: notices.sh TARGET FILE. TARGET is Cargo's folder, which keeps those of crates.
#
# They cover the crates of all targets, those of the browser among them, and the libraries that draw charts in pages.
# It fails where cargo-about cannot be installed.
set -euo pipefail
mkdir -p "$1"
target=$(realpath "$1") file=$(realpath -m "$2")
tools=$(realpath -m "${AIRPATH_TOOLS:-$target/release-tools}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
crates=$target/notices.txt
about=$tools/bin/cargo-about

for source in Cargo.lock release/about.toml release/about.hbs; do
  [ "$crates" -nt "$source" ] || rm -f "$crates"
done
if [ ! -e "$crates" ]; then
  [ -x "$about" ] || "${CARGO:-cargo}" install --quiet --locked --root "$tools" cargo-about@0.9.0 --features cli
  "$about" generate --locked --fail --all-features --config release/about.toml release/about.hbs > "$crates.new"
  mv "$crates.new" "$crates"
fi
cat "$crates" crates/plot/assets/LICENSES.txt > "$file"
