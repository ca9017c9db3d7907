#!/bin/sh
# Lays out what is installed under a folder: the program, manual pages, completions, documentation.
# tree.sh BINARY FOLDER
set -eu
binary=$1 root=$2
here=$(dirname "$0")/..
install -D -m 755 "$binary" "$root/bin/prequel"
strip "$root/bin/prequel" 2>/dev/null || true
program=$root/bin/prequel
mkdir -p "$root/share/man/man1" "$root/share/doc/prequel/examples"
"$program" manual "$root/share/man/man1"
gzip -9nf "$root"/share/man/man1/*.1
for pair in bash:bash-completion/completions/prequel zsh:zsh/vendor-completions/_prequel fish:fish/vendor_completions.d/prequel.fish; do
  file=$root/share/${pair#*:}
  mkdir -p "$(dirname "$file")"
  "$program" completions "${pair%%:*}" > "$file"
done
cp "$here"/README.md "$here"/CHANGELOG.md "$here"/LICENSE-APACHE "$here"/LICENSE-MIT "$root/share/doc/prequel/"
cp "$here"/examples/*.pml "$root/share/doc/prequel/examples/"
