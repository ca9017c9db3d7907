#!/bin/sh
# Shows the main job on a bundled model that SPIN alone does not finish. Usage: demo.sh PATH-TO-PREQUEL [SECONDS-FOR-SPIN]
set -u
prequel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
patience=${2:-20}
examples=$(cd "$(dirname "$0")/../examples" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cp "$examples"/scaled/workers.pml "$work" && cd "$work" || exit 1

title() { printf '\n\033[1m%s\033[0m\n' "$1"; }
# must EXIT-CODE NAME ARGUMENTS: runs prequel, keeps what it says in NAME and the seconds that it took in NAME.seconds.
must() {
  want=$1 name=$2; shift 2
  printf '$ prequel %s\n' "$*"
  from=$(date +%s%N)
  "$prequel" "$@" > "$name" 2>&1
  got=$?
  took=$(( ($(date +%s%N) - from) / 100000000 ))
  echo "$((took / 10)).$((took % 10))" > "$name.seconds"
  [ "$got" = "$want" ] || { cat "$name"; echo "demo: exit $got instead of $want" >&2; exit 1; }
}
row() { printf '  %-44s %-22s %6s s\n' "$1" "$2" "$(cat "$3.seconds")"; }

echo "Four workers sort lists of their own and share a printer (workers.pml). Is every list in order when it is printed?"
if command -v spin > /dev/null && command -v gcc > /dev/null; then
  title "1. SPIN alone, for $patience seconds"
  must 2 alone spin workers.pml -DN=4 --no-reduce --time "${patience}s" --memory 8G
  tail -n 2 alone
else
  echo "spin or gcc is not installed: what SPIN does alone is left out ('make tools' installs both)"
fi

title "2. Prequel: each worker's lists become part of its control, and what nobody can tell apart is put together"
must 0 ours spin workers.pml -DN=4
tail -n 9 ours

title "3. The same with a bug: one comparison of the sort is left out"
must 1 bug spin workers.pml -DN=4 -DLAZY --trail=bug.trail --html bug.html
page=$(dirname "$prequel")/demo.html
cp bug.html "$page"
# A row names who moves, as in worker(2); loops are told once, so it is the last number that counts.
row_of_step='^[0-9]+ +[^ ]+\([0-9]+\)'
steps=$(grep -E "$row_of_step" bug | tail -n 1 | cut -d ' ' -f 1)
grep -m 1 -E '^# ' bug
echo "   ... $((steps > 8 ? steps - 8 : 0)) steps"
grep -E "$row_of_step" bug | tail -n 8
tail -n 3 bug
echo "the same as a page for a browser, with a slider, values, your text and a chart: $page"

if [ -f alone ]; then
  title "4. SPIN follows that run on the model as it is: spin -t -p -k bug.trail -DN=4 -DLAZY workers.pml"
  spin -t -p -k bug.trail -DN=4 -DLAZY workers.pml > followed 2>&1
  grep -B 1 -A 1 -m 1 'assertion violated' followed || { echo "demo: SPIN does not follow the trail" >&2; exit 1; }
fi

title "Measured just now"
[ -f alone ] && row "SPIN alone" "not finished" alone
row "prequel spin" "true" ours
row "prequel spin, with the bug" "false, $steps steps" bug
