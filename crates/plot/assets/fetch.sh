#!/bin/bash
# Fetches the files of this folder from npm: the versions in package.json, as published, and the
# licences of all that is bundled in them. SHA256SUMS says whether they are what they were.
set -euo pipefail
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp package.json "$folder/"
(cd "$folder" && npm install --no-package-lock --ignore-scripts --no-audit --no-fund --silent)
modules="$folder/node_modules"
cp "$modules/vega/build/vega.min.js" "$modules/vega-lite/build/vega-lite.min.js" \
   "$modules/vega-embed/build/vega-embed.min.js" .

# What is in the bundles; the rest of the tree (yargs, commander …) serves their command lines.
bundled() {
  ls "$modules" | grep -E '^(vega|d3-|topojson-client|internmap|delaunator|robust-predicates|fast-json-patch|json-stringify-pretty-compact|semver|tslib)'
}
{
  echo "Licences of what is bundled in vega.min.js, vega-lite.min.js and vega-embed.min.js."
  for sum in $(for name in $(bundled); do cat "$modules/$name"/LICENSE* | sha256sum; done \
               | cut -d' ' -f1 | awk '!seen[$0]++'); do
    same=()
    for name in $(bundled); do
      [ "$(cat "$modules/$name"/LICENSE* | sha256sum | cut -d' ' -f1)" = "$sum" ] && same+=("$name")
    done
    printf '\n== %s\n\n' "${same[*]}"
    cat "$modules/${same[0]}"/LICENSE*
  done
} | sed 's/\r$//; s/[[:space:]]*$//' > LICENSES.txt

if [ "${1:-}" = --new ]; then
  sha256sum vega.min.js vega-lite.min.js vega-embed.min.js LICENSES.txt > SHA256SUMS
fi
sha256sum --check SHA256SUMS
