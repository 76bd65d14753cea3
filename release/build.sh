#!/usr/bin/env bash
# Makes all files of a release: build.sh FOLDER. Skipped parts are named at the end.
#
#     AIRPATH_PROFILE=FILE   guides the optimisation by this profile instead of a new one
#     AIRPATH_TOOLS=FOLDER   has the tools; they are installed there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(realpath -m "$1")
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
tools=$(realpath -m "${AIRPATH_TOOLS:-$target/release-tools}")
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
machines=(x86_64 aarch64)
skipped=()

skip() {
  echo "release: skipped, $1" >&2
  skipped+=("$1")
}

has_target() { rustup target add "$1" > /dev/null 2>&1; }

# Cargo's tools of this name and version.
has_tool() {
  [ -x "$tools/bin/$1" ] || cargo install --quiet --locked --root "$tools" "$1@$2" "${@:3}"
}

prepare() {
  rm -rf "$folder"
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

profile() {
  if [ -z "${AIRPATH_PROFILE:-}" ]; then
    if rustup component add llvm-tools > /dev/null 2>&1; then
      release/profile.sh "$folder/airpath-$version.profdata"
      AIRPATH_PROFILE=$folder/airpath-$version.profdata
    else
      skip "optimisation by a profile: llvm-tools cannot be had"
    fi
  fi
  export AIRPATH_PROFILE AIRPATH_ROOT=$PWD RUSTC_WRAPPER=$PWD/release/rustc.sh
}

# The static program of a machine, as an archive and as a Debian package.
program() {
  local machine=$1 triple=$1-unknown-linux-musl
  has_target "$triple" || { skip "static program for $machine: rustup has no $triple"; return; }
  cargo zigbuild --quiet --locked --profile dist --target "$triple" --target-dir "$target/packages" \
    --package airpath --bin airpath
  release/archive.sh "$target/packages/$triple/dist/airpath" "$machine" "$version" "$folder"
}

# The wheel of a machine for distributions since 2014.
wheel() {
  local machine=$1 triple=$1-unknown-linux-gnu
  has_target "$triple" || { skip "wheel for $machine: rustup has no $triple"; return; }
  CARGO_TARGET_DIR=$target/packages maturin build --quiet --zig --compatibility manylinux2014 --locked \
    --profile dist --target "$triple" --out "$folder"
}

# Notices of all licences, and a list of all parts of the program.
papers() {
  if has_tool cargo-about 0.9.0 --features cli; then
    cargo about generate --locked --fail --config release/about.toml release/about.hbs > "$target/notices.txt"
    cat "$target/notices.txt" crates/plot/assets/LICENSES.txt > "$folder/NOTICES.txt"
  else
    skip "notices of licences: cargo-about cannot be installed"
  fi
  if has_tool cargo-cyclonedx 0.5.8; then
    cargo cyclonedx --quiet --manifest-path crates/cli/Cargo.toml --format json --override-filename sbom
    mv crates/cli/sbom.json "$folder/airpath-$version.cdx.json"
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
papers
data
profile
for machine in "${machines[@]}"; do
  program "$machine"
  wheel "$machine"
done
cp release/Containerfile "$folder"
(cd "$folder" && sha256sum -- * > SHA256SUMS)
(cd "$folder" && ls -l --block-size=K)
for part in "${skipped[@]}"; do
  echo "skipped: $part"
done
