#!/usr/bin/env bash
# Makes pages of charts and checks them in an installed browser, and the documentation's site, if it
# was built: run.sh PROGRAM GALLERY SITE [TEST…]. TEST is a file of tests; without one all run.
# What is not installed, or cannot be fetched, is said, and the tests that need it are left out.
set -euo pipefail
program=$(realpath "$1") gallery=$(realpath "$2") site=$(realpath --canonicalize-missing "$3")
cd "$(dirname "$0")"

skip() {
  echo "browser tests SKIPPED: $1"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "browser tests: $1" >> "$AIRPATH_SKIPPED"
  exit 0
}

command -v node > /dev/null || skip "node is not installed (20 or newer)"
command -v npm > /dev/null || skip "npm is not installed"
major=$(node -p 'process.versions.node.split(".")[0]')
((major >= 20)) || skip "node $major is too old (20 or newer)"
browser=${AIRPATH_CHROMIUM:-}
for name in chromium chromium-browser google-chrome; do
  browser=${browser:-$(command -v "$name" || true)}
done
[ -n "$browser" ] || skip "no Chromium is installed (AIRPATH_CHROMIUM names one elsewhere)"
[ -x "$browser" ] || skip "there is no program $browser (AIRPATH_CHROMIUM)"

# npm leaves its own copy of the lock file when it is done.
if ! [ node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --loglevel=error --fetch-retries=1 --fetch-timeout=30000 \
    || skip "its packages could not be fetched"
fi

tests=("${@:4}") pages=$(mktemp -d)
((${#tests[@]})) || tests=(*.test.mjs)
trap 'rm -rf "$pages"' EXIT
if [ "${tests[*]}" != site.test.mjs ]; then
  "$gallery" "$pages"
  ./pages.sh "$program" "$pages"
fi
if [[ " ${tests[*]} " != *" site.test.mjs "* ]]; then
  : # The site is the other part's.
elif [ -f "$site/index.html" ]; then
  export AIRPATH_SITE=$site
else
  echo "browser tests without the site: it is not built"
  [ -z "${AIRPATH_SKIPPED:-}" ] || echo "browser tests: the site is not built" >> "$AIRPATH_SKIPPED"
fi
AIRPATH_CHROMIUM=$browser AIRPATH_PAGES=$pages node --test --test-concurrency=2 --test-reporter=spec "${tests[@]}"
