#!/bin/sh
# A Debian package: deb.sh BINARY FOLDER writes FOLDER/prequel_VERSION_ARCHITECTURE.deb and says its name.
set -eu
here=$(dirname "$0")
version=$("$here/version.sh")
architecture=$(dpkg --print-architecture)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
sh "$here/tree.sh" "$1" "$stage/usr"
cat "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" > "$stage/usr/share/doc/prequel/copyright"
rm "$stage"/usr/share/doc/prequel/LICENSE-*
mkdir "$stage/DEBIAN"
cat > "$stage/DEBIAN/control" <<END
Package: prequel
Version: $version
Architecture: $architecture
Maintainer: The Prequel developers <prequel@localhost>
Section: math
Priority: optional
Depends: libc6, libgcc-s1, libstdc++6
Recommends: spin, gcc
Suggests: tcc
Installed-Size: $(du -sk "$stage/usr" | cut -f1)
Description: what you run before SPIN
 Prequel reads Promela, DVE, Petri nets, Supremica's automata, SMV, AIGER and
 networks of labelled transition systems. It makes their processes smaller,
 decides questions about them, and shows what it did: every counterexample is
 replayed on the model as it was written.
END
mkdir -p "$2"
name=$2/prequel_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zgzip -z6 --build "$stage" "$name" >/dev/null
echo "$name"
