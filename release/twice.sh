#!/usr/bin/env bash
# Builds the static program and the wheel of x86_64 once more, from a copy of the last commit in another folder and
# with another home, and compares them with those of a release: twice.sh FOLDER [PART...].
set -euo pipefail
folder=$(realpath "$1")
parts=("${@:2}")
[ ${#parts[@]} -gt 0 ] || parts=(program:x86_64 wheel:x86_64)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup}
AIRPATH_TOOLS=$(realpath "${AIRPATH_TOOLS:-${CARGO_TARGET_DIR:-target}/release-tools}")
AIRPATH_PROFILE=$(find "$folder" -name 'airpath-*.profdata.xz')
export AIRPATH_TOOLS AIRPATH_PROFILE=${AIRPATH_PROFILE:-none}
git clone --quiet . "$work/elsewhere/copy"
mkdir "$work/files"
[ ! -e "$folder/NOTICES.txt" ] || cp "$folder/NOTICES.txt" "$work/files"
env --unset CARGO_TARGET_DIR HOME="$work/home" CARGO_HOME="$work/home/crates" \
  "$work/elsewhere/copy/release/build.sh" "$work/files" "${parts[@]}"
for file in "$work"/files/*.{tar.gz,deb,whl}; do
  [ -e "$file" ] || continue
  cmp "$file" "$folder/$(basename "$file")"
  echo "ok: $(basename "$file") has the same bytes"
done
