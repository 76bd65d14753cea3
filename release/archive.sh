#!/usr/bin/env bash
# Packs a static program with its manual pages, completions and licences:
# archive.sh PROGRAM MACHINE VERSION FOLDER writes an archive and, where dpkg-deb is, a Debian package.
#
# The program that writes manual pages must run on this machine. A program for another machine is packed
# with the pages of the one for this machine, which is built before it.
set -euo pipefail
program=$1 machine=$2 version=$3 folder=$4
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
share=$folder/.share

# Pages of an earlier call are in the archive that it wrote.
here=$folder/airpath-$version-$(uname -m)-linux.tar.gz
if [ ! -d "$share" ] && [ "$machine" != "$(uname -m)" ]; then
  [ -e "$here" ] || { echo "release: program:$machine needs program:$(uname -m), which writes its manual pages" >&2; exit 1; }
  mkdir -p "$share"
  tar -xzf "$here" --directory "$share" --strip-components=2 "airpath-$version-$(uname -m)-linux/share"
elif [ ! -d "$share" ]; then
  "$program" man "$share/man/man1" > /dev/null
  mkdir -p "$share"/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
  "$program" completions bash > "$share/bash-completion/completions/airpath"
  "$program" completions zsh > "$share/zsh/vendor-completions/_airpath"
  "$program" completions fish > "$share/fish/vendor_completions.d/airpath.fish"
fi

# All files of a folder in one order, with one time and one owner.
pack() {
  find "$work" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" \
    --directory "$work" --create "$1" | gzip --no-name -9 > "$2"
}

name=airpath-$version-$machine-linux
mkdir "$work/$name"
install -m 755 "$program" "$work/$name/airpath"
cp -r "$share" "$work/$name/share"
tables=studies/l4s-5g/network/tables
mkdir -p "$work/$name/$(dirname "$tables")"
cp -r "$tables" "$work/$name/$tables"
cp README.md LICENSE-APACHE LICENSE-MIT "$work/$name"
[ ! -e "$folder/NOTICES.txt" ] || cp "$folder/NOTICES.txt" "$work/$name"
pack "$name" "$folder/$name.tar.gz"

command -v dpkg-deb > /dev/null || { echo "release: no Debian package, as there is no dpkg-deb" >&2; exit 0; }
case $machine in
  x86_64) architecture=amd64 ;;
  aarch64) architecture=arm64 ;;
esac
deb=$work/deb
mkdir -p "$deb/DEBIAN" "$deb/usr/bin" "$deb/usr/share/doc/airpath"
install -m 755 "$program" "$deb/usr/bin/airpath"
cp -r "$share"/. "$deb/usr/share"
gzip --no-name -9 "$deb"/usr/share/man/man1/*
mkdir -p "$deb/usr/share/airpath/$(dirname "$tables")"
cp -r "$tables" "$deb/usr/share/airpath/$tables"
cat LICENSE-APACHE LICENSE-MIT > "$deb/usr/share/doc/airpath/copyright"
[ ! -e "$folder/NOTICES.txt" ] || cp "$folder/NOTICES.txt" "$deb/usr/share/doc/airpath"
sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" \
  -e "s/@SIZE@/$(du -sk "$deb/usr" | cut -f 1)/" release/control > "$deb/DEBIAN/control"
chmod -R go-w "$deb"
find "$deb" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$deb" "$folder/airpath_${version}_$architecture.deb" > /dev/null
