#!/usr/bin/env bash
# Installs each file of a release where nothing else is, and runs it: try.sh FOLDER. It needs root.
#
# - The static program runs in a root that holds the program alone.
# - The program for another processor runs under qemu-user.
# - The Debian package and the wheel are installed in a Debian made by debootstrap.
# - The wheel is installed in a bare virtual environment of this machine.
#
# A result is due within 60 s of each installation, and a chart within 10 s of the wheel's.
set -euo pipefail
folder=$(realpath "$1")
tools=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")/target/release-tools
work=$(mktemp -d)
trap 'umount -q "$work/debian/proc" 2> /dev/null || true; rm -rf "$work"' EXIT
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
within 10 "its template" chroot "$work/alone" /airpath new lte-6rb
cp "$work/output.txt" "$work/alone/lte-6rb.toml"
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

if command -v qemu-aarch64-static > /dev/null; then
  mkdir "$work/other"
  tar -xzf "$folder"/airpath-*-aarch64-linux.tar.gz -C "$work/other" --strip-components=1
  cp "$work/alone/lte-6rb.toml" "$work/other"
  within 120 "program for aarch64 under qemu" \
    qemu-aarch64-static "$work/other/airpath" run "$work/other/lte-6rb.toml" --out "$work/other/run"
  diff -r --exclude=timing.json "$work/alone/run" "$work/other/run" && echo "ok: same results as on x86_64"
else
  skip "program for aarch64: there is no qemu-aarch64-static"
fi

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --no-index "$folder"/airpath-*-manylinux2014_x86_64*.whl
chart='import airpath; airpath.run("lte-6rb").plot.stages().save("'$work'/chart.svg")'
within 10 "wheel in a bare environment: a chart" "$work/venv/bin/python" -c "$chart"

if command -v debootstrap > /dev/null; then
  root=${AIRPATH_DEBIAN:-$tools/debian}
  [ -e "$root/usr/bin/python3" ] || debootstrap --quiet --variant=minbase \
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
