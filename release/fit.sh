#!/usr/bin/env bash
# Gives the functions of a profile the names that they have on another target: fit.sh PROFILE TARGET FILE.
#
# The name of a function that is made from a generic one of the standard library has the number of its crate, and
# each target has its own library.
set -euo pipefail
profile=$1 target=$2 file=$3
tool=$(rustc --print target-libdir)/../bin/llvm-profdata

# The number of a crate of the standard library: its own is the one that its symbols have most often.
number() {
  grep --text --only-matching --no-filename --extended-regexp "Cs[0-9A-Za-z]+_${#1}$1" \
    "$(rustc --print target-libdir --target "$2")"/lib"$1"-*.rlib | sort | uniq --count | sort --numeric --reverse \
    | sed -n '1s/.* //p'
}

host=$(rustc -vV | sed -n 's/^host: //p')
names=()
for crate in core alloc std hashbrown; do
  names+=(--expression "s/$(number "$crate" "$host")/$(number "$crate" "$target")/g")
done
"$tool" merge --text "$profile" --output - | LC_ALL=C sed "${names[@]}" > "$file.text"
"$tool" merge "$file.text" --output "$file"
rm "$file.text"
