#!/usr/bin/env bash
# Builds the playground: run.sh TARGET FOLDER.
#
# TARGET is cargo's folder, FOLDER gets the page. It takes the target wasm32-unknown-unknown of the
# compiler, node 20, and the program wasm-bindgen of the library's version, which is built into
# TARGET/release-tools. A part that is missing is left out and reported.
set -euo pipefail
mkdir -p "$1" "$2"
target=$(realpath "$1") folder=$(realpath "$2")
cd "$(dirname "$0")/../.."
cargo=${CARGO:-cargo}
triple=wasm32-unknown-unknown

skip() {
  echo "playground: skipped, $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "playground: $1" >> "$AIRPATH_SKIPPED"
  exit 0
}

command -v node > /dev/null || skip "node is not installed (20 or newer)"
[ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ] || skip "the compiler has no target: rustup target add $triple"
version=$(sed -n 's/^wasm-bindgen = "=\(.*\)"$/\1/p' Cargo.toml)
bindgen=$target/release-tools/bin/wasm-bindgen
if [ "$("$bindgen" --version 2> /dev/null)" != "wasm-bindgen $version" ]; then
  "$cargo" install wasm-bindgen-cli --version "$version" --quiet --root "$target/release-tools" \
    --target-dir "$target/release-tools/build" || skip "wasm-bindgen $version cannot be installed (no network?)"
fi
"$cargo" build --package airpath-web --target "$triple" --profile web --quiet
"$bindgen" --target web --no-typescript --remove-name-section --remove-producers-section --out-dir "$folder" "$target/$triple/web/airpath_web.wasm"
node site/playground/build.mjs "$folder"
size=$(cat "$folder"/*.{wasm,js,html} | gzip -9 | wc -c)
echo "the playground is in $folder, $((size / 1000)) kB compressed; to use it, serve it: python3 -m http.server --directory $folder"
