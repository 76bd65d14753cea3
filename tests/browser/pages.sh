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

# Reports: of a run, of one with a title that is a script, of a network, of a campaign, of a
# comparison, of calibrations and of a study.
"$program" run cell.toml --set 'duration="3 s"' --report=run-report.html -q
"$program" run cell.toml --set 'duration="500 ms"' \
  --set 'title="<script>window.ran = 1</script><img src=x onerror=alert(1)>"' \
  --report=odd-report.html -q
"$program" run net.toml --set 'duration="3 s"' --report=net-report.html -q
"$program" report sweep -o sweep-report.html -q
sed 's/^title = .*/title = "Another"/' cell.toml > other.toml
"$program" compare cell.toml other.toml --seeds 3 --report=compare-report.html -q
"$program" calibrate --only UMa --users 1000 --report=calibrate-report.html -q
"$program" reproduce short-tti --seeds 2 --report=study-report.html -q
