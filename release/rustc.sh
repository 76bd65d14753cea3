#!/usr/bin/env bash
# The compiler for packages: Cargo calls it as `rustc.sh RUSTC ARGUMENTS...`.
#
# - Paths of this machine are replaced by fixed ones, so that two builds in two folders give the same bytes.
# - A crate's number is made of its name and version. Cargo's differs between targets, and a profile of one target
#   names no function of another.
# - AIRPATH_PROFILE names a profile of runs that guides the optimisation. A flag that Cargo sees would be a part of
#   the order of functions.
set -euo pipefail
cargo=${CARGO_HOME:-$HOME/.cargo}
arguments=()
for argument in "$@"; do
  [[ $argument != metadata=* ]] || argument=metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION
  arguments+=("$argument")
done
flags=(-Csymbol-mangling-version=v0 --remap-path-prefix "$AIRPATH_ROOT=/airpath")
flags+=(--remap-path-prefix "$CARGO_TARGET_DIR=/target" --remap-path-prefix "$cargo=/cargo")
for registry in "$cargo"/registry/src/*; do
  flags+=(--remap-path-prefix "$registry=/crates")
done
[ -z "${AIRPATH_PROFILE:-}" ] || flags+=("-Cprofile-use=$AIRPATH_PROFILE")
exec "${arguments[@]}" "${flags[@]}"
