#!/bin/sh
# An archive to unpack anywhere: archive.sh BINARY FOLDER writes FOLDER/prequel-VERSION-SYSTEM.tar.gz and says its name.
set -eu
here=$(dirname "$0")
version=$("$here/version.sh")
name=prequel-$version-$(uname -s | tr 'A-Z' 'a-z')-$(uname -m)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
sh "$here/tree.sh" "$1" "$stage/$name"
mkdir -p "$2"
tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner -czf "$2/$name.tar.gz" "$name"
echo "$2/$name.tar.gz"
