#!/usr/bin/env bash
# Pages as a user makes them: pages.sh PROGRAM FOLDER. A run, a campaign and a network.
set -euo pipefail
program=$1 folder=$2 own=$PWD
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

# Names and titles that are HTML, in every kind of report that has them: of a run, arms of a
# campaign, files of a comparison, captures and what they hold.
odd='<img src=x onerror="window.ran=1"><script>window.ran = 1</script>'
quoted=${odd//\"/\\\"}
"$program" run cell.toml --set 'duration="500 ms"' --set "title=\"$quoted\"" --report=odd-report.html -q
"$program" sweep cell.toml --set 'duration="500 ms"' --seeds 2 --vary "title=\"$quoted\",\"b\"" \
  --report=odd-sweep-report.html -q
sed 's/^duration = .*/duration = "500 ms"/' cell.toml > '<img src=x onerror="window.ran=1">.toml'
sed 's/dualpi2/codel/' '<img src=x onerror="window.ran=1">.toml' > codel.toml
"$program" compare '<img src=x onerror="window.ran=1">.toml' codel.toml --seeds 2 \
  --report=odd-compare-report.html -q
node "$own/odd.mjs" '<img src=x onerror="window.ran=1">.pcap' '<img/src=x/onerror=window.ran=1>'
"$program" analyse '<img src=x onerror="window.ran=1">.pcap' --report=odd-analysis-report.html -q > /dev/null

# Reports: of a run, of full buffers without packets, of a network, of a campaign, of a
# comparison, of calibrations and of a study.
"$program" run cell.toml --set 'duration="3 s"' --report=run-report.html -q
"$program" new full-buffer full.toml -q
"$program" run full.toml --set 'duration="4500 ms"' --report=full-report.html -q
"$program" run net.toml --set 'duration="3 s"' --report=net-report.html -q
"$program" report sweep -o sweep-report.html -q
sed 's/^title = .*/title = "Another"/' cell.toml > other.toml
"$program" compare cell.toml other.toml --seeds 3 --report=compare-report.html -q
"$program" calibrate --only UMa --users 1000 --report=calibrate-report.html -q
"$program" reproduce short-tti --seeds 2 --report=study-report.html -q
