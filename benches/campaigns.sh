#!/usr/bin/env bash
# Campaigns of short runs with and without a folder: wall and processor seconds of each, the least of
# several rounds in which programs and forms take turns, and the ratio of both forms.
#
#   benches/campaigns.sh target/release/airpath [OTHER PROGRAM]...
#   ROUNDS=10 RUNS=1000 JOBS=1 SCENARIO=my.toml benches/campaigns.sh target/release/airpath
set -euo pipefail
cd "$(dirname "$0")/.."
ROUNDS=${ROUNDS:-5}
RUNS=${RUNS:-1000}
JOBS=${JOBS:-1}
TIMEFORMAT='%R %U %S'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/short.toml" <<'END'
duration = "2 s"
[[ue]]
name = "phone"
snr = "20 dB"
[[flow]]
name = "download"
kind = "tcp"
direction = "down"
END
SCENARIO=${SCENARIO:-$folder/short.toml}

for ((round = 0; round < ROUNDS; round++)); do
    for program in "$@"; do
        for form in without with; do
            rm -rf "$folder/out"
            options=(--seeds "$RUNS" --jobs "$JOBS" --quiet)
            [ $form = with ] && options+=(--out "$folder/out")
            used=$({ time "$program" sweep "$SCENARIO" "${options[@]}"; } 2>&1 | tail -n 1)
            echo "$program $form $used"
        done
    done
done | awk '
    { wall = $3; cpu = $4 + $5; key = $1 " " $2; programs[$1]
      if (!(key in walls) || wall < walls[key]) walls[key] = wall
      if (!(key in cpus) || cpu < cpus[key]) cpus[key] = cpu }
    END { for (p in programs) {
        a = p " without"; b = p " with"
        printf "%s  wall %.2f s, with --out %.2f s (%.3f)  processor %.2f s, %.2f s (%.3f)\n",
            p, walls[a], walls[b], walls[b] / walls[a], cpus[a], cpus[b], cpus[b] / cpus[a] } }'
