#!/usr/bin/env bash
# Compares results of the program with those of the playground's module: run.sh PROGRAM FOLDER TEMPLATE...
# Without the module, which its build has reported, nothing is compared.
set -euo pipefail
program=$(realpath "$1") folder=$(realpath --canonicalize-missing "$2")
cd "$(dirname "$0")"
[ -f "$folder/index.html" ] || exit 0
node --test --test-reporter=spec links.test.mjs
node same.mjs "$program" "$folder" "${@:3}"
