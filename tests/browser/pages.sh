#!/usr/bin/env bash
# Pages as a user makes them: pages.sh PROGRAM FOLDER. A run, a campaign and a network.
set -euo pipefail
program=$1 folder=$2
cd "$folder"
"$program" new l4s-cell cell.toml -q
"$program" run cell.toml --set 'duration="3 s"' --set 'output.series="50 ms"' \
  --set output.packets=true --out run -q
"$program" plot run --what all -o run.html -q
"$program" sweep cell.toml --set 'duration="2 s"' --seeds 3 --out sweep -q \
  --set 'flow.cubic.start={min="0 s",max="1 s"}' --vary bearer.default.queue=codel,dualpi2 \
  --vary 'ue.phone.snr="10 dB","20 dB"'
"$program" plot sweep --what all -o sweep.html -q
"$program" new network net.toml -q
"$program" run net.toml --set 'duration="3 s"' --out net -q
"$program" plot net --what map --what cdf -o net.html -q
