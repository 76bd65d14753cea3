#!/usr/bin/env bash
# Builds the playground: run.sh TARGET FOLDER PROFILE.
#
# TARGET is cargo's folder, FOLDER gets the page. PROFILE is `web`, or `dev` for a module that is compiled fast
# and not optimised. It takes the target wasm32-unknown-unknown of the compiler, node 20, and the program
# wasm-bindgen of the library's version. The profile `web` installs that program into TARGET/release-tools, and adds the
# notices of licences. A part that is missing is left out and reported.
set -euo pipefail
mkdir -p "$1" "$2"
target=$(realpath "$1") folder=$(realpath "$2") profile=$3
cd "$(dirname "$0")/../.."
cargo=${CARGO:-cargo}
triple=wasm32-unknown-unknown

lacks() {
  echo "playground: skipped, $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "playground: $1" >> "$AIRPATH_SKIPPED"
}

skip() {
  rm -f "$folder/index.html"
  lacks "$1"
  exit 0
}

command -v node > /dev/null || skip "node is not installed (20 or newer)"
[ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ] || skip "the compiler has no target: rustup target add $triple"
version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
bindgen=$(PATH="$target/release-tools/bin:$PATH" command -v wasm-bindgen || true)
if [ -z "$bindgen" ] || [ "$("$bindgen" --version)" != "wasm-bindgen $version" ]; then
  [ "$profile" = web ] || skip "wasm-bindgen $version is not installed (make playground installs it)"
  "$cargo" install wasm-bindgen-cli --version "$version" --quiet --root "$target/release-tools" \
    --target-dir "$target/release-tools/build" || skip "wasm-bindgen $version cannot be installed (no network?)"
  bindgen=$target/release-tools/bin/wasm-bindgen
fi
built=$profile level=()
[ "$profile" = web ] || { built=debug level=(--config profile.dev.opt-level=0); }
"$cargo" build --package airpath-web --target "$triple" --profile "$profile" "${level[@]}" --target-dir "$target" --quiet
"$bindgen" --target web --no-typescript --remove-name-section --remove-producers-section --out-dir "$folder" \
  "$target/$triple/$built/airpath_web.wasm"
node site/playground/build.mjs "$folder"
[ "$profile" != web ] || release/notices.sh "$target" "$folder/NOTICES.txt" || lacks "notices of licences cannot be made"
size=$(cat "$folder"/*.{wasm,js,html} | gzip -9 | wc -c)
echo "the playground is in $folder, $((size / 1000)) kB compressed"
