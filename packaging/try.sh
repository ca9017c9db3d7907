#!/bin/sh
# Installs each package of a folder as its users would, and asks a question: try.sh FOLDER. The Debian package is installed where
# that is allowed, and unpacked elsewhere.
set -eu
folder=$1
example=$(dirname "$0")/../examples/sliding_window.pml
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
ask() { "$@" check "$example" --quiet | grep -q '^RESULT true' && echo "$1: ok"; }

for package in "$folder"/*.tar.gz; do
  tar -C "$stage" -xzf "$package"
  ask "$stage/$(basename "$package" .tar.gz)/bin/prequel"
done
for package in "$folder"/*.deb; do
  if [ "$(id -u)" = 0 ] && [ -z "${NO_INSTALL:-}" ]; then
    dpkg -i "$package" >/dev/null
    ask /usr/bin/prequel
    dpkg -r prequel >/dev/null
  else
    dpkg-deb -x "$package" "$stage/deb"
    ask "$stage/deb/usr/bin/prequel"
  fi
done
for package in "$folder"/*.whl; do
  python3 -m venv "$stage/venv"
  "$stage/venv/bin/pip" install --quiet --no-index --disable-pip-version-check "$package"
  ask "$stage/venv/bin/prequel"
done
