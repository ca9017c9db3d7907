#!/bin/sh
# Shows the main job on bundled models and on models made on the spot. Usage: demo.sh PATH-TO-PREQUEL
set -u
prequel=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
examples=$(cd "$(dirname "$0")/../examples" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

title() { printf '\n\033[1m== %s\033[0m\n' "$1"; }
show()  { printf '$ prequel %s\n' "$*"; "$prequel" "$@"; }
must()  { want=$1; shift; show "$@"; got=$?; [ "$got" = "$want" ] || { echo "demo: exit $got instead of $want" >&2; exit 1; }; }

if command -v spin > /dev/null && command -v gcc > /dev/null; then
  cp "$examples"/sliding_window.pml .
  title "A Promela model with smaller processes: your text, but for the processes that shrink"
  must 0 reduce sliding_window.pml -o small.pml
  sed -n '/in place of sender/,/^}/p' small.pml

  title "SPIN on the smaller model and on the original: the same verdict"
  must 0 spin sliding_window.pml --compare

  title "A property that fails: SPIN's counterexample on the smaller model, lifted back to the original and replayed there"
  must 1 spin sliding_window.pml -DPROPERTY_D --compare
else
  echo "spin or gcc is not installed: what SPIN makes of smaller models is left out ('make tools' installs both)"
fi

title "Five dining philosophers, as a network of ten automata"
must 0 generate philo 5 -o philo

title "Can they starve together? The shortest witness, replayed on the model before it is printed"
must 1 check philo/philo.exp --deadlock-free --witness w.json --chart

title "Anybody can replay the saved witness"
must 0 replay philo/philo.exp --witness w.json --deadlock-free --quiet

title "What the first philosopher's neighbours see: the product, minimised"
cat > seen.exp <<'EXP'
hide all but tl0, rr0 in "philo/philo.exp" end hide
EXP
must 0 convert seen.exp -o product.aut
must 0 convert seen.exp -o small.aut --minimise weak-trace
must 0 compare product.aut small.aut --equivalence weak-trace

title "Only the interleavings that matter: with and without partial-order reduction, 12 philosophers"
must 0 generate philo 12 -o dozen --quiet
for option in --no-por --quiet; do
  case $option in --no-por) name="every interleaving" ;; *) name="stubborn sets (default)" ;; esac
  "$prequel" check dozen/philo.exp --deadlock-free $option --json > answer.json
  [ $? = 1 ] || { echo "demo: a wrong verdict" >&2; exit 1; }
  states=$(sed -n 's/.*"states_total": \([0-9]*\).*/\1/p' answer.json)
  seconds=$(sed -n 's/.*"seconds": \([0-9.]*\).*/\1/p' answer.json)
  printf '  %-28s %8s states  %s s\n' "$name" "$states" "$seconds"
done
