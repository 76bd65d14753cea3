#!/usr/bin/env bash
# Builds the program a second time with a profile of its own runs (profile-guided
# optimisation), as target/guided/dist/airpath. It computes the same, byte for byte.
#
# A profile fits the compiler and the code that it was recorded with, so it is made anew
# each time and not kept. What it is recorded from should be what users run: links, cells,
# media, scalable congestion control, studies, and captures.
set -euo pipefail
cd "$(dirname "$0")/.."
CARGO=${CARGO:-cargo}

merge=$(rustc --print target-libdir)/../bin/llvm-profdata
if [ ! -x "$merge" ]; then
    echo "$0: llvm-profdata is missing: rustup component add llvm-tools" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

RUSTFLAGS="-Cprofile-generate=$folder/raw" $CARGO build --profile dist --target-dir target/recorder
program=target/recorder/dist/airpath
for scenario in studies/*/*.toml scenarios/*.toml; do
    case $scenario in
        scenarios/*) arguments=(--set duration="3 s" --set 'output.pcap=["ue"]') ;;
        *) arguments=() ;;
    esac
    # Some scenarios of studies are frames that the study completes.
    "$program" run "$scenario" "${arguments[@]}" --quiet --out "$folder/$(basename "$scenario")" ||
        echo "$0: left out: $scenario" >&2
done
find "$folder" -name '*.pcapng' -exec "$program" analyse --json {} \; > "$folder/analysis.json"
for study in rate-delay short-tti; do
    "$program" reproduce "$study" --seeds 1 > "$folder/$study.txt"
done

"$merge" merge -o "$folder/profile" "$folder"/raw/*.profraw
RUSTFLAGS="-Cprofile-use=$folder/profile" $CARGO build --profile dist --target-dir target/guided
