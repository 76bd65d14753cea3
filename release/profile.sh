#!/usr/bin/env bash
# Records a profile of the program's own runs: profile.sh FILE (profile-guided optimisation).
#
# A profile fits the compiler and the code that it was recorded with. It is recorded from runs of links, cells,
# media, scalable congestion control, networks and studies, and from captures. Programs with it and without it
# compute the same bytes.
set -euo pipefail
file=$(realpath -m "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
merge=$(rustc --print target-libdir)/../bin/llvm-profdata
host=$(rustc -vV | sed -n 's/^host: //p')
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

export CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")/recorder
RUSTC_WRAPPER=$PWD/release/rustc.sh AIRPATH_ROOT=$PWD RUSTFLAGS="-Cprofile-generate=$folder/raw" \
  cargo build --quiet --locked --profile dist --target "$host" --package airpath --bin airpath --features stacks
program=$CARGO_TARGET_DIR/$host/dist/airpath
# The files of a study are pieces of scenarios too, which are no scenarios alone.
for scenario in scenarios/*.toml studies/*/*.toml; do
  "$program" check --quiet "$scenario" 2> /dev/null || continue
  case $scenario in
    scenarios/*) arguments=(--set duration="3 s" --set output.warm_up="1 s" --set 'output.pcap=["ue"]') ;;
    *) arguments=() ;;
  esac
  "$program" run "$scenario" "${arguments[@]}" --quiet --out "$folder/$(basename "$scenario")" 2> /dev/null || true
done
"$program" run scenarios/l4s-network.toml --set duration="20 s" --quiet > /dev/null
find "$folder" -name '*.pcapng' -exec "$program" analyse --json {} \; > "$folder/analysis.json"
for study in rate-delay short-tti; do
  "$program" reproduce "$study" --seeds 1 > "$folder/$study.txt"
done
mkdir -p "$(dirname "$file")"
"$merge" merge -o "$file" "$folder"/raw/*.profraw
