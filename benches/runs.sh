#!/usr/bin/env bash
# Whole runs of programs side by side: simulated seconds for each second of processor
# time (user and system, start of the process included), the best of several rounds in
# which the programs take turns.
#
#   benches/runs.sh target/release/airpath [OTHER PROGRAM]...
#   ROUNDS=20 SCENARIOS="my.toml:60" benches/runs.sh target/release/airpath
set -euo pipefail
cd "$(dirname "$0")/.."
ROUNDS=${ROUNDS:-10}
RUNS=${RUNS:-5}
SCENARIOS=${SCENARIOS:-"studies/rate-delay/exp1.toml:5 studies/rate-delay/exp3-audio.toml:14"}
TIMEFORMAT='%U %S'

repeat() {
    for ((n = 0; n < RUNS; n++)); do "$1" run "$2" --quiet; done
}

for entry in $SCENARIOS; do
    scenario=${entry%:*} seconds=${entry##*:}
    for ((round = 0; round < ROUNDS; round++)); do
        for program in "$@"; do
            used=$({ time repeat "$program" "$scenario"; } 2>&1 | tail -n 1)
            echo "$program $used"
        done
    done | awk -v runs="$RUNS" -v seconds="$seconds" -v scenario="$scenario" '
        { t = ($2 + $3) / runs; if (!($1 in best) || t < best[$1]) best[$1] = t }
        END { for (p in best) printf "%s  %s  %.2f ms  %.0f\n", scenario, p, best[p] * 1000, seconds / best[p] }'
done
