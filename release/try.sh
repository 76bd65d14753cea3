#!/usr/bin/env bash
# Installs each file of a release where nothing else is, and runs it: try.sh FOLDER. It needs root.
#
# - The static program runs in a root that holds the program alone.
# - The program and the wheel for another processor run under qemu-user, the wheel with Python of a Debian for it.
# - The Debian package and the wheel are installed in a Debian made by debootstrap.
# - The wheel is installed in a bare virtual environment of this machine.
# - Both give each template's results with the same bytes, and so does AIRPATH_PROGRAM, where it names a program
#   that is built from sources.
#
# A result is due within 60 s of each installation, and a chart within 10 s of the wheel's.
set -euo pipefail
folder=$(realpath "$1")
tools=$(realpath -m "${AIRPATH_TOOLS:-$(dirname "${BASH_SOURCE[0]}")/../target/release-tools}")
work=$(mktemp -d)
trap 'umount -q "$work/debian/proc" 2> /dev/null || true; rm -rf "$work"' EXIT
unset AIRPATH_STUDIES # a user has none
skipped=()

skip() { skipped+=("$1"); }

# A command that ends within so many seconds.
within() {
  local limit=$1 name=$2 begin=$SECONDS
  shift 2
  timeout "$limit" "$@" > "$work/output.txt" || { echo "FAILED: $name"; cat "$work/output.txt"; exit 1; }
  echo "ok: $name, $((SECONDS - begin)) s"
}

(cd "$folder" && sha256sum --quiet --check SHA256SUMS) && echo "ok: checksums"
[ "$(id -u)" = 0 ] || { echo "skipped: all but checksums, as other roots need root"; exit 0; }

mkdir "$work/alone"
tar -xzf "$folder"/airpath-*-x86_64-linux.tar.gz -C "$work/alone" --strip-components=1
within 60 "static program in an empty root" chroot "$work/alone" /airpath reproduce short-tti --seeds 1
within 10 "its template" chroot "$work/alone" /airpath new lte-6rb /lte-6rb.toml
within 60 "its run" chroot "$work/alone" /airpath run /lte-6rb.toml --out /run

# The steps of the Containerfile, by hand: its COPY lines fill an empty root, its ENTRYPOINT runs there.
while read -r instruction arguments; do
  case $instruction in
    COPY)
      read -ra files <<< "$arguments"
      to=$work/image${files[-1]}
      mkdir -p "$(dirname "$to")"
      [ "${to: -1}" != / ] || mkdir -p "$to"
      (cd "$work/alone" && cp "${files[@]:0:${#files[@]}-1}" "$to")
      ;;
    ENTRYPOINT) entry=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])[0])' "$arguments") ;;
  esac
done < "$folder/Containerfile"
cp "$work/alone/lte-6rb.toml" "$work/image"
within 60 "steps of the Containerfile" chroot "$work/image" "$entry" run /lte-6rb.toml

# Whether there is a file of this name.
has_file() { [ -e "$1" ]; }

if ! command -v qemu-aarch64-static > /dev/null; then
  skip "files for aarch64: there is no qemu-aarch64-static"
elif ! has_file "$folder"/airpath-*-aarch64-linux.tar.gz; then
  skip "program for aarch64: it is not in the release"
else
  mkdir "$work/other"
  tar -xzf "$folder"/airpath-*-aarch64-linux.tar.gz -C "$work/other" --strip-components=1
  cp "$work/alone/lte-6rb.toml" "$work/other"
  within 120 "program for aarch64 under qemu" \
    qemu-aarch64-static "$work/other/airpath" run "$work/other/lte-6rb.toml" --out "$work/other/run"
  diff -r --exclude=timing.json "$work/alone/run" "$work/other/run" && echo "ok: same results as on x86_64"
fi

# Python of another processor: its packages are unpacked, as none of them can be configured here.
python_elsewhere() {
  [ ! -e "$1/usr/bin/python3.11" ] || return 0
  debootstrap --foreign --arch=arm64 --variant=minbase --include=python3 bookworm "$1" > "$work/debootstrap.txt" || return 1
  for package in "$1"/var/cache/apt/archives/*.deb; do
    dpkg-deb --extract "$package" "$1"
  done
}
if command -v qemu-aarch64-static > /dev/null && has_file "$folder"/airpath-*_aarch64.whl; then
  root=$tools/debian-aarch64
  if command -v debootstrap > /dev/null && python_elsewhere "$root"; then
    python3 -m zipfile -e "$folder"/airpath-*_aarch64.whl "$work/elsewhere"
    run='import airpath, sys; run = airpath.run("lte-6rb", out=sys.argv[1], progress=False)'
    within 120 "wheel for aarch64 under qemu: a chart" env PYTHONPATH="$work/elsewhere" \
      qemu-aarch64-static -L "$root" "$root/usr/bin/python3.11" -c "$run; run.plot.stages().save(sys.argv[1] + '.svg')" "$work/wheel-run"
    diff -r --exclude=timing.json "$work/alone/run" "$work/wheel-run" && echo "ok: same results as on x86_64"
  else
    skip "wheel for aarch64: there is no Python for it (debootstrap)"
  fi
else
  skip "wheel for aarch64: there is no qemu-aarch64-static, or no such wheel in the release"
fi

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index "$folder"/airpath-*-manylinux2014_x86_64*.whl
chart='import airpath; airpath.run("lte-6rb").plot.stages().save("'$work'/chart.svg")'
within 10 "wheel in a bare environment: a chart" "$work/venv/bin/python" -c "$chart"

# Results of a way in, for each template.
results() {
  local name=$1 template
  shift
  for template in $("$work/alone/airpath" new | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p'); do
    "$@" "$template" "$work/results/$name/$template"
  done
}
by_program() { "$1" new "$2" - > "$work/results/$2.toml" && "$1" run "$work/results/$2.toml" --quiet --out "$3" > /dev/null; }
by_python() { "$work/venv/bin/python" -c 'import airpath, sys; airpath.run(sys.argv[1], out=sys.argv[2], progress=False)' "$1" "$2"; }
same() {
  diff -r --exclude=timing.json "$work/results/static" "$work/results/$1"
  echo "ok: $(ls "$work/results/static" | wc -l) templates, results of $1 are those of the static program"
}
mkdir -p "$work/results"
results static by_program "$work/alone/airpath"
results wheel by_python
same wheel
if [ -n "${AIRPATH_PROGRAM:-}" ]; then
  results sources by_program "$AIRPATH_PROGRAM"
  same sources
fi

# The folder of a campaign belongs to one build.
sweep=(sweep "$work/alone/lte-6rb.toml" --set "duration=1 s" --seeds 2 --quiet --out "$work/campaign")
within 60 "a campaign" "$work/alone/airpath" "${sweep[@]}"
if "$work/venv/bin/airpath" "${sweep[@]}" 2> "$work/refused.txt"; then
  echo "FAILED: the wheel goes on with a campaign of the static program"
  exit 1
fi
grep --quiet "another build" "$work/refused.txt" && echo "ok: the wheel refuses the campaign of the static program"

if command -v debootstrap > /dev/null; then
  root=${AIRPATH_DEBIAN:-$tools/debian}
  [ -e "$root/usr/bin/python3" ] || debootstrap --variant=minbase \
    --include=python3,python3-venv bookworm "$root" > "$work/debootstrap.txt"
  cp -a "$root" "$work/debian"
  mount -t proc proc "$work/debian/proc"
  cp "$folder"/airpath_*_amd64.deb "$folder"/airpath-*-manylinux2014_x86_64*.whl "$work/alone/lte-6rb.toml" "$work/debian/tmp"
  within 60 "Debian package" chroot "$work/debian" sh -c "dpkg --install /tmp/airpath_*_amd64.deb && airpath run /tmp/lte-6rb.toml"
  within 10 "its manual page" chroot "$work/debian" test -s /usr/share/man/man1/airpath-run.1.gz
  within 60 "wheel in a new Debian" chroot "$work/debian" sh -c \
    "python3 -m venv /tmp/venv && /tmp/venv/bin/pip install --quiet --no-index /tmp/airpath-*.whl && /tmp/venv/bin/airpath reproduce short-tti --seeds 1"
else
  skip "Debian package and wheel in a new Debian: there is no debootstrap"
fi
for part in "${skipped[@]}"; do
  echo "skipped: $part"
done
