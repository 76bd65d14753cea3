#!/usr/bin/env bash
# The compiler for packages: Cargo calls it as `rustc.sh RUSTC ARGUMENTS...`.
#
# Paths of this machine are replaced by fixed ones, so that two builds in two folders give the same bytes.
# AIRPATH_PROFILE names a profile of runs that guides the optimisation. Neither is a flag that Cargo sees:
# a flag's path would be a part of symbol names, and with them of the order of functions.
set -euo pipefail
cargo=${CARGO_HOME:-$HOME/.cargo}
flags=(--remap-path-prefix "$AIRPATH_ROOT=/airpath" --remap-path-prefix "$cargo=/cargo")
for registry in "$cargo"/registry/src/*; do
  flags+=(--remap-path-prefix "$registry=/crates")
done
[ -z "${AIRPATH_PROFILE:-}" ] || flags+=("-Cprofile-use=$AIRPATH_PROFILE")
exec "$@" "${flags[@]}"
