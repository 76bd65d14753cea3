#!/usr/bin/env bash
# Makes the files of a release: build.sh FOLDER [PART...]. Skipped parts are named at the end.
#
# All parts make the folder anew; named ones add to it. They are papers, data, program:MACHINE and wheel:MACHINE,
# with x86_64 or aarch64 as machine.
#
#     AIRPATH_PROFILE=FILE   guides the optimisation by this profile (FILE.xz is unpacked) instead of a new one
#     AIRPATH_PROFILE=none   uses no profile
#     AIRPATH_TOOLS=FOLDER   has the tools; they are installed there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath -m "$1")
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
profile=$target/given.profdata
tools=$(realpath -m "${AIRPATH_TOOLS:-$target/release-tools}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
parts=("${@:2}")
all=(papers data program:x86_64 wheel:x86_64 program:aarch64 wheel:aarch64)
skipped=()

skip() {
  echo "release: skipped, $1" >&2
  skipped+=("$1")
}

has_target() { rustup target add "$1" > /dev/null 2>&1; }

prepare() {
  mkdir -p "$target"
  keep_profile "${AIRPATH_PROFILE:-}"
  [ ${#parts[@]} -gt 0 ] || { rm -rf "$folder"; parts=("${all[@]}"); }
  mkdir -p "$folder"
  if ! cmp --quiet release/requirements.txt "$tools/installed.txt"; then
    python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install --quiet --disable-pip-version-check --requirement release/requirements.txt
    cp release/requirements.txt "$tools/installed.txt"
  fi
  export PATH=$tools/venv/bin:$tools/bin:$PATH
  export CARGO_INCREMENTAL=0 CARGO_PROFILE_DIST_DEBUG=none CARGO_PROFILE_DIST_STRIP=symbols
  SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2> /dev/null || stat -c %Y Cargo.lock)
  export SOURCE_DATE_EPOCH
}

# A copy of the given profile, which may lie in the folder that is made anew.
keep_profile() {
  case $1 in
    "" | none) ;;
    *.xz) xz --decompress --stdout "$1" > "$profile" ;;
    *) cp "$1" "$profile" ;;
  esac
}

# Where the profile is, or nothing. It belongs to the release, as its bytes are a source of the program's.
guide() {
  if [ "${AIRPATH_PROFILE:-}" = none ]; then
    skip "optimisation by a profile: AIRPATH_PROFILE=none"
  elif ! rustup component add llvm-tools > /dev/null 2>&1; then
    skip "optimisation by a profile: llvm-tools cannot be had"
  else
    [ -n "${AIRPATH_PROFILE:-}" ] || release/profile.sh "$profile"
    xz -9 --threads=1 --stdout "$profile" > "$folder/airpath-$version.profdata.xz"
    return
  fi
  profile=
}

# Builds with another compiler, profile or wrapper share no part.
packages() {
  export AIRPATH_ROOT=$PWD RUSTC_WRAPPER=$PWD/release/rustc.sh CARGO_TARGET_DIR=$target/packages AIRPATH_PROFILE=
  local made
  made=$(rustc -vV | cat - release/rustc.sh release/fit.sh ${profile:+"$profile"} | sha256sum)
  [ "$made" = "$(cat "$CARGO_TARGET_DIR/made" 2> /dev/null)" ] || rm -rf "$CARGO_TARGET_DIR"
  mkdir -p "$CARGO_TARGET_DIR"
  echo "$made" > "$CARGO_TARGET_DIR/made"
}

# The profile with the names that functions have on a target.
fit() {
  [ -n "$profile" ] || return 0
  export AIRPATH_PROFILE=$CARGO_TARGET_DIR/$1.profdata
  [ -e "$AIRPATH_PROFILE" ] || release/fit.sh "$profile" "$1" "$AIRPATH_PROFILE"
}

# The static program of a machine, as an archive and as a Debian package.
program() {
  local machine=$1 triple=$1-unknown-linux-musl
  has_target "$triple" || { skip "static program for $machine: rustup has no $triple"; return; }
  fit "$triple"
  cargo zigbuild --quiet --locked --profile dist --target "$triple" --package airpath --bin airpath --features stacks
  release/archive.sh "$CARGO_TARGET_DIR/$triple/dist/airpath" "$machine" "$version" "$folder"
}

# The wheel of a machine for distributions since 2014. Commands are compiled for size in it: they are the last crate
# of the program alone, and so no level of all code there. So are the analyser, results, and writers of tables and JSON.
wheel() {
  local machine=$1 triple=$1-unknown-linux-gnu package levels=()
  for package in airpath airpath-{analyse,live,results} parquet serde_json; do
    levels+=(--config "profile.dist.package.$package.opt-level=\"s\"")
  done
  has_target "$triple" || { skip "wheel for $machine: rustup has no $triple"; return; }
  fit "$triple"
  maturin build --quiet --zig --compatibility manylinux2014 --locked \
    --profile dist "${levels[@]}" --target "$triple" --out "$folder"
  "$tools/venv/bin/python" release/pack.py "$folder"/airpath-*"_$machine.whl"
}

# Notices of all licences, and a list of all parts of the program.
papers() {
  AIRPATH_TOOLS=$tools release/notices.sh "$target" "$folder/NOTICES.txt" \
    || skip "notices of licences: cargo-about cannot be installed or found a licence that is not accepted"
  if [ -x "$tools/bin/cargo-cyclonedx" ] || cargo install --quiet --locked --root "$tools" cargo-cyclonedx@0.5.8; then
    cargo cyclonedx --quiet --manifest-path crates/cli/Cargo.toml --features stacks --format json --override-filename sbom
    sed "s|file://$PWD/|file:///|g" crates/cli/sbom.json > "$folder/airpath-$version.cdx.json" # without this folder
    find crates benches -name sbom.json -delete
  else
    skip "list of parts (SBOM): cargo-cyclonedx cannot be installed"
  fi
}

# Tables of studies, as a package beside the wheels.
data() {
  pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$folder" ./python/data
}

prepare
guide
packages
for part in "${parts[@]}"; do
  case $part in
    papers | data) "$part" ;;
    program:* | wheel:*) "${part%:*}" "${part#*:}" ;;
    *) echo "release: there is no part $part; there are ${all[*]}" >&2; exit 2 ;;
  esac
done
cp release/Containerfile "$folder"
rm -rf "$folder/.share" "$folder/SHA256SUMS"
(cd "$folder" && sha256sum -- * > SHA256SUMS && ls -l --block-size=K)
for part in "${skipped[@]}"; do
  echo "skipped: $part"
done
