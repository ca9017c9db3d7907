# Prequel. `make help` lists what there is.
CARGO  ?= cargo
FUZZ_NETWORKS ?= 20000
FUZZ_SEED     ?= 1000000
FUZZ_PROGRAMS ?= 1000
FUZZ_WAYS     ?= 20000
FUZZ_REDUCTIONS ?= 2000
FUZZ_PARTIAL_ORDER ?= 20000
FUZZ_REMEMBERED ?= 5000
FUZZ_RESIDUAL ?= 20000
FUZZ_TOLD ?= 5000
FUZZ_DVE ?= 20000
FUZZ_AUTO     ?= 20000
FUZZ_LIVENESS ?= 20000
FUZZ_ICC      ?= 200000
FUZZ_CONFLICT ?= 50000
FUZZ_CIRCUITS ?= 20000
FUZZ_CERTIFICATES ?= 20000
FUZZ_COMMANDS ?= 20000
# Where the random tests of `make test` start: another place with each commit, the same whenever a commit is tested again.
TEST_SEED     ?= $(or $(shell git log -1 --format=%ct000 2>/dev/null),$(shell date +%s000))
TEST_SEED     := $(TEST_SEED)
# Folders of models for the parity commands: your own, or the examples.
DIR           ?= examples
SECONDS       ?= 5
CSV           ?= target/$@.csv
DVE           ?= examples
PETRI         ?= corbett-models

.DEFAULT_GOAL := build
.PHONY: build dist demo quick test deny check-format clippy docs bench fuzz promela-parity dve-parity petri-parity aiger-parity reduce-table residual-table certificate-table nightly runner-figures models tools clean help

# What `prequel --version` names beside the version.
build dist: export PREQUEL_COMMIT ?= $(shell git rev-parse --short HEAD 2>/dev/null)

build: tools ## build the release binary, target/release/prequel
	$(CARGO) build --release

dist: build ## packages in dist/: an archive, a Debian package, a Python wheel, with manual pages and completions
	sh packaging/archive.sh target/release/prequel dist
	sh packaging/deb.sh target/release/prequel dist
	python3 packaging/wheel.py target/release/prequel dist

demo: build ## show the main job on bundled models
	@sh demo/demo.sh target/release/prequel

quick: check-format ## the loop while working: lints, unit tests, command-line sessions
	$(CARGO) clippy --locked --lib --bins -- -D warnings
	$(CARGO) test --locked --lib --test meaning --test cli

test: tools check-format clippy ## everything that must be green: format, lints, all tests, documentation
	@echo "random tests: seed $(TEST_SEED) (again: make test TEST_SEED=$(TEST_SEED))"
	PREQUEL_FUZZ_SEED=$(TEST_SEED) $(CARGO) test --locked --lib --bins --tests
	$(CARGO) test --locked --doc
	$(MAKE) docs

check-format:
	$(CARGO) fmt --all --check

clippy: # of the benchmarks too, which nothing else here compiles
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings

deny: ## licences, advisories and sources of dependencies (needs cargo-deny)
	$(CARGO) deny --workspace check

docs: ## the library's documentation, warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --lib

bench: tools build ## speed: ours beside SPIN in one run, then how cost grows with size
	$(CARGO) bench --locked --package prequel-benchmarks --benches

fuzz: tools ## long differential runs, parser and command fuzzing (FUZZ_NETWORKS=20000 FUZZ_ICC=200000 FUZZ_CONFLICT=50000 FUZZ_CIRCUITS=20000 FUZZ_CERTIFICATES=20000 FUZZ_COMMANDS=20000 FUZZ_PROGRAMS=1000 FUZZ_WAYS=20000 FUZZ_REDUCTIONS=2000 FUZZ_PARTIAL_ORDER=20000 FUZZ_REMEMBERED=5000 FUZZ_AUTO=20000 FUZZ_LIVENESS=20000 FUZZ_RESIDUAL=20000 FUZZ_TOLD=5000 FUZZ_DVE=20000 FUZZ_SEED=1000000)
	PREQUEL_FUZZ_NETWORKS=$(FUZZ_NETWORKS) PREQUEL_FUZZ_ICC=$(FUZZ_ICC) PREQUEL_FUZZ_CONFLICT=$(FUZZ_CONFLICT) PREQUEL_FUZZ_CIRCUITS=$(FUZZ_CIRCUITS) PREQUEL_FUZZ_CERTIFICATES=$(FUZZ_CERTIFICATES) PREQUEL_FUZZ_COMMANDS=$(FUZZ_COMMANDS) PREQUEL_FUZZ_PROGRAMS=$(FUZZ_PROGRAMS) PREQUEL_FUZZ_WAYS=$(FUZZ_WAYS) PREQUEL_FUZZ_REDUCTIONS=$(FUZZ_REDUCTIONS) PREQUEL_FUZZ_PARTIAL_ORDER=$(FUZZ_PARTIAL_ORDER) PREQUEL_FUZZ_REMEMBERED=$(FUZZ_REMEMBERED) PREQUEL_FUZZ_AUTO=$(FUZZ_AUTO) PREQUEL_FUZZ_LIVENESS=$(FUZZ_LIVENESS) PREQUEL_FUZZ_RESIDUAL=$(FUZZ_RESIDUAL) PREQUEL_FUZZ_KEPT=$(FUZZ_RESIDUAL) PREQUEL_FUZZ_TOLD=$(FUZZ_TOLD) PREQUEL_FUZZ_DVE=$(FUZZ_DVE) PREQUEL_FUZZ_SEED=$(FUZZ_SEED) \
	  $(CARGO) test --locked --release -- --nocapture

promela-parity: tools ## every Promela model of a folder beside SPIN (DIR=folder SECONDS=5 CSV=file)
	$(CARGO) run --locked --release --package prequel-benchmarks --bin promela_parity -- $(DIR) --seconds $(SECONDS) --csv $(CSV)

dve-parity: ## every DVE model of a folder beside its published numbers (DVE=folder SECONDS=5)
	$(CARGO) run --locked --release --package prequel-benchmarks --bin dve_parity -- $(DVE) --seconds $(SECONDS) --csv target/dve-parity.csv

petri-parity: ## every Petri net of a folder beside what others have found out about it (PETRI=folder SECONDS=5)
	$(CARGO) run --locked --release --package prequel-benchmarks --bin petri_parity -- $(PETRI) --seconds $(SECONDS) --csv target/petri-parity.csv

aiger-parity: build ## circuits as AIGER, ours beside ABC's pdr in one run (SECONDS=5 CSV=file; WITH=--engine=bdd: another engine)
	$(CARGO) run --locked --release --package prequel-benchmarks --bin aiger_parity -- --seconds $(SECONDS) --csv $(CSV) $(addprefix --with=,$(WITH))

reduce-table: tools build ## SPIN alone beside `prequel spin` for every model that SPIN takes: times, their distribution, the worst (DIR=folder SECONDS=5 CSV=file; WITH=--method=icc: networks by icc)
	$(CARGO) run --locked --release --package prequel-benchmarks --bin reduce_table -- $(DIR) --seconds $(SECONDS) --csv $(CSV) $(WITH)

residual-table: tools build ## what `prequel reduce --method residual` makes of every model, and SPIN of that: refusals, states, times; goes on where CSV ends (DIR=folder SECONDS=5 CSV=file)
	$(CARGO) run --locked --release --package prequel-benchmarks --bin residual_table -- $(DIR) --seconds $(SECONDS) --csv $(CSV) $(WITH)

certificate-table: ## what certificates cost: time of the answer, size, time of the audit, for families and engines
	$(CARGO) run --locked --release --package prequel-engine --example certificate_table

nightly: tools build ## run the nightly suite, compare with the night before, write nights/report.html; fails on a regression
	target/release/prequel bench benchmarks/nightly.toml --results nights
	target/release/prequel report nights -o nights/report.html --fail-on-regression

runner-figures: build ## how well `prequel bench` measures: beside hyperfine, and what it costs around a run
	python3 benchmarks/runner_figures.py target/release/prequel

models: build ## write the models of beem-models/ and corbett-models/ anew, each folder named FAMILY-SIZE
	@for folder in beem-models/*/ corbett-models/*/; do \
	  [ -d "$$folder" ] || continue; name=$$(basename $$folder); rm -r $$folder; \
	  target/release/prequel generate $${name%-*} $${name##*-} -o $$folder --quiet || exit 1; \
	done

tools: ## install what the build, tests and benchmarks call (spin, C and C++ compilers, solvers), where it is missing and can be
	@sh .ci/tools

clean:
	$(CARGO) clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
