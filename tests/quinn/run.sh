#!/usr/bin/env bash
# Another quinn-proto than the published one: what cargo does not use fails the build, and what it uses counts.
#
#     tests/quinn/run.sh TARGET [long]
#
# TARGET is cargo's target folder. It takes patch, and the crates of Cargo.lock in cargo's registry; no network.
# `long` also builds: the change of crates/stacks/patches with its tests, the template project with a changed constant, and the
# project of a stack of one's own.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
target=$(realpath "$1")
work=$target/quinn
export CARGO_NET_OFFLINE=true

skip() {
  echo "quinn: skipped, $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "quinn: $1" >> "$AIRPATH_SKIPPED"
  exit 0
}

fail() {
  echo "quinn: $1" >&2
  exit 1
}

command -v patch > /dev/null || skip "there is no patch"
version=$(sed -n '/^name = "quinn-proto"$/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)
published=$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"quinn-proto-$version" 2> /dev/null | head -n 1)
[ -n "$published" ] || skip "cargo's registry has no quinn-proto $version"
mkdir -p "$work"

# A copy of the published crate in the folder NAME of the work.
copied() {
  rm -rf "${work:?}/$1"
  cp -r "$published" "$work/$1"
  rm -f "$work/$1/.cargo-ok"
}

# The template project in the folder NAME, with quinn-proto from another folder if that is named.
project() {
  rm -rf "${work:?}/$1"
  cp -r projects/quic-controller "$work/$1"
  rm -rf "$work/$1/target" "$work/$1/results"
  sed -i "s|\"../../crates|\"$root/crates|" "$work/$1/Cargo.toml"
  cp Cargo.lock "$work/$1/"
  [ -z "${2:-}" ] || printf '\n[patch.crates-io]\nquinn-proto = { path = "%s" }\n' "$work/$2" >> "$work/$1/Cargo.toml"
}

# Fails unless a build fails with this text.
refused() {
  local text=$1
  shift
  if "$@" > "$work/refused.txt" 2>&1; then
    fail "this should not build: $*"
  fi
  grep --quiet --fixed-strings "$text" "$work/refused.txt" || { cat "$work/refused.txt"; fail "no word of: $text"; }
  echo "quinn: refused, with its reason: ${text}"
}

refused "the feature accurate-ecn needs quinn-proto 0.11.19 with the change" \
  cargo check --quiet --package airpath-stacks --features accurate-ecn
refused "the feature quinn-main is for 0.12" \
  cargo check --quiet --package airpath-stacks --features quinn-main

copied old
sed -i "s/^version = \"$version\"/version = \"0.10.0\"/" "$work/old/Cargo.toml"
project of-old old
refused "cargo does not use the quinn-proto of [patch.crates-io]" \
  cargo check --manifest-path "$work/of-old/Cargo.toml" --target-dir "$work/target"

[ "${2:-}" = long ] || exit 0

# Cargo writes the path of a patch into Cargo.lock, which is put back.
copied accurate
patch --quiet --directory "$work/accurate" --strip 1 < crates/stacks/patches/quinn-proto-0.11.19.diff
cp Cargo.lock "$work/Cargo.lock"
trap 'cp "$work/Cargo.lock" "$root/Cargo.lock"' EXIT
cargo test --package airpath-sim --features accurate-ecn --test it quic_accurate \
  --config "patch.crates-io.quinn-proto.path=\"$work/accurate\""
cargo test --package airpath-scenario --features accurate-ecn --test it quic \
  --config "patch.crates-io.quinn-proto.path=\"$work/accurate\""
cp "$work/Cargo.lock" Cargo.lock

# CUBIC of quinn-proto keeps half of its window instead of 0.7 after a loss.
copied half
sed -i 's/^const BETA_CUBIC: f64 = 0.7;/const BETA_CUBIC: f64 = 0.5;/' "$work/half/src/congestion/cubic.rs"
cmp --quiet "$published/src/congestion/cubic.rs" "$work/half/src/congestion/cubic.rs" && fail "there is no constant to change"
for name in published half; do
  project "of-$name" "$([ $name = published ] || echo $name)"
  cargo run --quiet --manifest-path "$work/of-$name/Cargo.toml" --target-dir "$work/target" \
    -- "$work/of-$name/cells/lte-good.toml" | grep '^lte-good' > "$work/$name.txt"
done
# The columns of the own controller are equal, as it is the same; those of CUBIC are not.
own() { cut -c 1-39 "$work/$1.txt"; }
cubic() { cut -c 40- "$work/$1.txt"; }
[ "$(own published)" = "$(own half)" ] || fail "the own controller has other results"
[ "$(cubic published)" != "$(cubic half)" ] || fail "a changed constant changes nothing"
echo "quinn: a changed constant changes the result:$(cubic published) to$(cubic half)"

# The stack of one's own beside quinn-proto: both flows have data. Its crates are no part of Cargo.lock.
rm -rf "$work/noq"
cp -r projects/noq-stack "$work/noq"
rm -rf "$work/noq/target"
sed -i "s|\"../../crates|\"$root/crates|" "$work/noq/Cargo.toml"
CARGO_NET_OFFLINE=false cargo fetch --quiet --manifest-path "$work/noq/Cargo.toml" || skip "noq-proto cannot be had (no network?)"
cargo run --quiet --manifest-path "$work/noq/Cargo.toml" --target-dir "$work/target" > "$work/noq.txt"
awk '$1 == "noq" || $1 == "quinn" { seen += $2 > 5 } END { exit seen != 2 }' "$work/noq.txt" \
  || { cat "$work/noq.txt"; fail "a flow of the project noq-stack has no data"; }
echo "quinn: a stack of one's own runs"
