# Prequel. `make help` lists what there is.
CARGO  ?= cargo
FUZZ_NETWORKS ?= 20000
FUZZ_SEED     ?= 1000000

.DEFAULT_GOAL := build
.PHONY: build demo test check-format clippy docs bench fuzz tools clean help

build: ## build the release binary, target/release/prequel
	$(CARGO) build --release

demo: build ## show the main job on bundled models
	@sh demo/demo.sh target/release/prequel

test: tools check-format clippy ## everything that must be green: format, lints, all tests, documentation
	$(CARGO) test --locked
	$(MAKE) docs

check-format:
	$(CARGO) fmt --check

clippy:
	$(CARGO) clippy --locked --all-targets -- -D warnings

docs: ## the library's documentation, warnings are errors
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --lib

bench: tools build ## speed: ours beside SPIN in one run, then how cost grows with size
	$(CARGO) bench --locked

fuzz: ## long differential runs and parser fuzzing (FUZZ_NETWORKS=20000 FUZZ_SEED=1000000)
	PREQUEL_FUZZ_NETWORKS=$(FUZZ_NETWORKS) PREQUEL_FUZZ_SEED=$(FUZZ_SEED) $(CARGO) test --locked --release -- --nocapture

tools: ## install what tests and benchmarks call (spin, a C compiler), where it is missing and can be
	@sh .ci/tools

clean:
	$(CARGO) clean

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
