# `make test` is everything that must hold before a change goes in; `make test-long` is what
# takes longer: whole grids, whole studies, a million cases of each property, benchmarks.
# They need cargo, rustc (with rustfmt and clippy), bash, cmp and diff; words and sizes take Python 3.11; `instructions` uses
# valgrind, `browser` node (20 or newer), npm and Chromium, where they are installed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
# Parts follow one another, but for those of `beside`. Cargo takes no part in the count of make's jobs.
ifdef BESIDE
unexport MAKEFLAGS MFLAGS
else
.NOTPARALLEL:
endif

CARGO ?= cargo
# Benchmarks have a library of their own to compile; nobody waits for it who tests.
CRATES := --workspace --exclude airpath-benches --features airpath/stacks,airpath-python/stacks
TARGET := $(or $(CARGO_TARGET_DIR),target)
# The program as the tests build it: `cargo build` would compile it a second time, as
# dependencies have more features where tests are built.
PROGRAM = $(TARGET)/debug/airpath
# What builds it first; nothing where `test` has done so.
BUILT = $(if $(BESIDE),,program)
# Kept cards of controllers.
CARDS = $(TARGET)/debug/examples/cards
# The module of the Python package, and where its environment is.
MODULE = $(TARGET)/debug/libairpath_python.so
PYTHON_HOME = $(TARGET)/python
# The site of the documentation, and what it is built with.
SITE_HOME = $(TARGET)/site
# The playground, which the site takes in, and the one of the tests, whose module is not optimised.
PLAYGROUND = $(SITE_HOME)/playground
PLAYGROUND_TESTED = $(TARGET)/playground
STUDIES := $(shell cat studies/list.txt)
# Studies whose page `make test` compares with what is measured; `make test-long` has all.
QUICK := rate-delay short-tti
# The reading of the L4S study whose next batch of runs `make batch` makes, and the only part of it.
READING ?= second
PART ?=

# Tables of studies are files, which programs elsewhere do not find by themselves.
export AIRPATH_STUDIES := $(abspath studies)

.PHONY: help unskip test beside browser-pages browser-site test-long format lint build unit doc program python wheel release release-twice site playground same \
        determinism current cards cards-page instructions browser charts deny quinn quinn-long \
        grids cases studies pairs benches instructions-long instructions-keep page batch figures assets bench clean

help:  ## say what there is
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)$$/\1\t\2/p' Makefile | expand -t 20

# Cases of a property: half of proptest's own number. Each run draws other ones, and `make cases` has a million.
export PROPTEST_CASES ?= 128

# Tests and parts that cannot run on this machine write a line each here; it is printed last.
export AIRPATH_SKIPPED := $(abspath $(TARGET))/skipped.txt

# Tests and the parts beside them build little, and each waits now and then: three parts at a time fill two cores.
# Each finds the program and the module built.
test: unskip format lint build  ## all checks
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=target BESIDE=yes beside & beside=$$!
	trap 'kill $$beside 2> /dev/null || true' EXIT
	failed=
	$(CARGO) test $(CRATES) || failed="unit tests"
	wait $$beside || failed="$${failed:+$$failed, }parts beside them"
	[ -z "$$failed" ] || { echo "failed: $$failed; their messages are above"; exit 1; }
	if [ -s "$$AIRPATH_SKIPPED" ]; then
	  echo "$$(wc -l < "$$AIRPATH_SKIPPED") tests or parts could not run on this machine:"
	  sed 's/^/  /' "$$AIRPATH_SKIPPED"
	else
	  echo "all tests could run on this machine"
	fi

beside: doc python browser-pages site browser-site current instructions determinism same quinn

unskip:
	@mkdir -p $(TARGET)
	: > "$$AIRPATH_SKIPPED"

test-long: benches deny grids cases studies pairs instructions-long quinn-long site charts  ## what takes hours: not part of test

format:  ## the code is formatted
	$(CARGO) fmt --all --check

lint:  ## clippy has nothing to say; sizes of files, words of comments and documentation
	$(CARGO) clippy $(CRATES) --all-targets -- -D warnings
	@lint/run.sh

# A test runs an example that has tests of its own, which cargo does not build for it. Examples are named so that
# dependencies have the features of the tests: nothing is built twice.
build:  ## all that tests need: their programs, examples, and the module of the Python package
	$(CARGO) test $(CRATES) --no-run
	$(CARGO) build $(CRATES) --lib --examples --quiet

unit: build  ## unit, property, integration and documentation tests
	$(CARGO) test $(CRATES)

# With examples, dependencies have the features that clippy has checked them with. Rustdoc links to a crate
# whose folder is there, and crates are documented in any order; cargo takes away the folder of a crate that
# is being documented, so one at a time. Cargo does one thing at a time in a folder: tests beside it begin first.
doc:  ## the documentation builds, and no link in it is broken
	$(if $(BESIDE),sleep 3)
	for crate in crates/*; do mkdir -p $(TARGET)/doc/airpath_$${crate##*/}; done
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(CRATES) --jobs 1 --no-deps --lib --bins --examples

program:  ## the program as the tests have it
	$(CARGO) test $(CRATES) --no-run --quiet

python: $(if $(BESIDE),,build)  ## the Python package: tests, examples, types; where Python and what it needs are there
	@python/tests/run.sh $(MODULE) $(PYTHON_HOME)

wheel:  ## a wheel of the Python package, optimised as packages are
	python3 -m venv $(PYTHON_HOME)/wheel
	$(PYTHON_HOME)/wheel/bin/pip install --quiet 'maturin>=1.9,<2'
	$(PYTHON_HOME)/wheel/bin/maturin build --profile dist --locked --out $(TARGET)/wheels

release:  ## all files of a release: programs, packages, wheels, checksums; installed and tried where that can be done
	release/build.sh $(TARGET)/release-files
	release/try.sh $(TARGET)/release-files

release-twice:  ## the static program and the wheel of a release once more, elsewhere: they have the same bytes
	release/twice.sh $(TARGET)/release-files

site: $(BUILT) doc  ## the documentation as a site, with the API of both languages; every link leads somewhere
	@site/run.sh $(PROGRAM) $(TARGET)/doc $(SITE_HOME)

playground:  ## airpath in a browser, where the target wasm32-unknown-unknown and node are
	@site/playground/run.sh $(TARGET) $(PLAYGROUND) web

same: $(BUILT)  ## results of three templates are the same bytes in the playground's module
	@site/playground/run.sh $(TARGET) $(PLAYGROUND_TESTED) dev
	tests/playground/run.sh $(PROGRAM) $(PLAYGROUND_TESTED) lte-6rb wires-dualpi2 lte-web

# Every file of a results folder but timing.json must have the same bytes. That each template
# gives the same bytes twice is a test of crates/sim.
compare = diff --recursive --brief --exclude=timing.json

determinism: $(BUILT)  ## a study has the same bytes with one worker and with two
	@folder=$$(mktemp -d)
	trap 'rm -rf "$$folder"' EXIT
	for workers in 1 2; do
	  RAYON_NUM_THREADS=$$workers $(PROGRAM) reproduce short-tti --seeds 3 \
	    --out "$$folder/$$workers" > "$$folder/$$workers.txt"
	done
	$(compare) "$$folder/1" "$$folder/2"

current: $(BUILT)  ## pages of quick studies are what the program measures; a page and screen from tables are judged anew
	@$(call pages,$(PROGRAM),$(QUICK))
	mkdir -p "$$folder/tables/studies"
	$(PROGRAM) reproduce l4s-5g > "$$folder/tables/studies/l4s-5g.screen.txt"
	$(PROGRAM) reproduce l4s-5g --part main --page "$$folder/tables" > /dev/null
	for file in $$(cd "$$folder/tables" && ls studies/* img/*); do
	  cmp "$$folder/tables/$$file" "docs/$$file" || { echo "docs/$$file is old: make page"; exit 1; }
	done
	echo "l4s-5g: page, pictures and screen are what its tables give"
	$(CARDS) page evaluations | cmp - docs/evaluate-cards.md || { echo "docs/evaluate-cards.md is old: make cards-page"; exit 1; }
	$(CARDS) check evaluations

instructions: $(BUILT)  ## short runs have no more instructions than before, where valgrind is installed
	@benches/instructions/run.sh compare debug $(PROGRAM)

# What is not installed is left out and said. AIRPATH_CHROMIUM names a browser elsewhere.
browser: $(BUILT)  ## pages of charts and the site in a browser, where node, npm and Chromium are installed
	@tests/browser/run.sh $(PROGRAM) $(TARGET)/debug/examples/gallery $(SITE_HOME)/html

# The same in two parts, of which one does not wait for the site.
PAGE_TESTS = page.test.mjs playground.test.mjs report.test.mjs specs.test.mjs
browser-pages: $(BUILT)
	@tests/browser/run.sh $(PROGRAM) $(TARGET)/debug/examples/gallery $(SITE_HOME)/html $(PAGE_TESTS)

browser-site: $(BUILT) site browser-pages
	@tests/browser/run.sh $(PROGRAM) $(TARGET)/debug/examples/gallery $(SITE_HOME)/html site.test.mjs

charts: program playground  ## the same with every chart, page, width and colour; the playground with all templates
	@$(CARGO) build --release --quiet
	AIRPATH_TEST_LONG=1 AIRPATH_PLAYGROUND=$(abspath $(PLAYGROUND)) AIRPATH_PROGRAM=$(abspath $(TARGET))/release/airpath \
	  tests/browser/run.sh $(PROGRAM) $(TARGET)/debug/examples/gallery $(SITE_HOME)/html

# Compares the pages and pictures of studies with those that are kept.
define pages
folder=$$(mktemp -d)
trap 'rm -rf "$$folder"' EXIT
for study in $(2); do
  $(1) reproduce $$study --page "$$folder" > /dev/null
  for file in $$(cd "$$folder" && ls studies/$$study*.md img/$$study-*.svg 2> /dev/null); do
    cmp "$$folder/$$file" "docs/$$file" || { echo "docs/$$file is old: make page"; exit 1; }
  done
  echo "$$study: its page and pictures are what the program measures"
done
endef

benches:  ## benchmarks compile, and clippy has nothing to say of them
	$(CARGO) clippy --package airpath-benches --all-targets -- -D warnings

# What cannot be had is left out and reported.
deny:  ## licences, sources and known faults of dependencies, by cargo-deny
	@lint/deny.sh $(TARGET)/release-tools

# Tests that have a grid go along its diagonal unless AIRPATH_TEST_LONG is set.
grids:  ## all tests optimised, with whole grids
	$(CARGO) build --release --package airpath-benches --example quic
	$(CARGO) build --release $(CRATES) --lib --examples
	quic=$(abspath $(PYTHON_HOME))/quic
	if python3 -m venv $$quic && $$quic/bin/pip install --quiet --disable-pip-version-check 'aioquic>=1.3,<2'; then
	  export AIRPATH_TEST_AIOQUIC=$$quic/bin/python
	fi
	AIRPATH_TEST_LONG=1 AIRPATH_TEST_QUIC=$(abspath $(TARGET))/release/examples/quic \
	  $(CARGO) test --release $(CRATES)

# Real time: it wants a machine that does little else. Where namespaces are forbidden it is left out and reported.
pairs:  ## verdicts of cases on the kernel's controllers beside the simulated ones
	@mkdir -p $(TARGET)
	$(CARGO) run --release --package airpath-live --example kernel_pairs -- --out $(TARGET)/kernel-pairs

# A case of the first is a packet, a text or a queue; of the others, runs or a long series.
cases:  ## a million cases of each property, 20 000 of those that make whole runs
	PROPTEST_CASES=1000000 $(CARGO) test --release --package airpath-base \
	  --package airpath-wire --package airpath-net --package airpath-path \
	  --package airpath-channel --package airpath-results --package airpath-scenario \
	  --package airpath-stats
	PROPTEST_CASES=20000 $(CARGO) test --release --package airpath-ran \
	  --package airpath-transport --package airpath-traffic --package airpath-media \
	  --package airpath-sim --package airpath-plot
	MUTATIONS=1000000 $(CARGO) test --release --package airpath-analyse \
	  ten_million -- --ignored

studies:  ## all studies at full length: the same with one worker and two, and as their pages
	@$(CARGO) build --release --quiet
	program=$(TARGET)/release/airpath
	$(call pages,$$program,$(STUDIES))
	for study in $(STUDIES); do
	  for workers in 1 2; do
	    part=; [ $$study = l4s-5g ] && part="--part fixed-network" # the rest takes hours
	    RAYON_NUM_THREADS=$$workers $$program reproduce $$study $$part \
	      --out "$$folder/$$study-$$workers" > /dev/null
	  done
	  $(compare) "$$folder/$$study-1" "$$folder/$$study-2"
	  echo "$$study: the same with one worker and with two"
	done

quinn:  ## a quinn-proto that cargo does not use fails the build with the reason
	@tests/quinn/run.sh $(TARGET)

quinn-long:  ## the changed quinn-proto with its tests; a changed constant of quinn-proto changes the result
	@tests/quinn/run.sh $(TARGET) long

# A loop that is no longer vectorised shows in the optimised program.
instructions-long:  ## the same of the optimised program
	@$(CARGO) build --release --quiet
	benches/instructions/run.sh compare release $(TARGET)/release/airpath

instructions-keep: program  ## write the counts of instructions anew: a commit of its own
	@benches/instructions/run.sh keep debug $(PROGRAM)
	$(CARGO) build --release --quiet
	benches/instructions/run.sh keep release $(TARGET)/release/airpath

page:  ## write the studies' pages and pictures anew
	for study in $(STUDIES); do
	  $(CARGO) run --release --quiet -- reproduce $$study --page docs > /dev/null
	done
	$(CARGO) run --release --quiet -- reproduce l4s-5g > docs/studies/l4s-5g.screen.txt

# Hours of processor time. SUITE names some suites instead of all.
cards:  ## evaluate all controllers anew, and write their page: SUITE="cubic l4s"
	$(CARGO) run --release --quiet -p airpath-evaluate --features stacks --example cards -- make evaluations $(SUITE)
	$(MAKE) --no-print-directory cards-page

cards-page: $(BUILT)  ## write the page of kept cards anew
	$(CARDS) page evaluations > docs/evaluate-cards.md

# At most an hour of processor time. An interrupted batch goes on; its tables are committed when it ends.
batch:  ## make the next batch of runs that tables of the L4S study lack: READING=second PART=main
	@$(CARGO) build --release --quiet
	$(TARGET)/release/airpath reproduce l4s-5g --reading $(READING) $(if $(PART),--part $(PART)) \
	  --fill studies/l4s-5g/network/tables --out $(TARGET)/l4s-5g \
	  --origin "$$(git log -1 --format=%h -- crates)" "$$(date -u +%F)"

figures: page  ## write the pictures of README and documentation anew, and what commands print there
	UPDATE_DOCS=1 $(CARGO) test --package airpath --test it documented::

assets:  ## fetch what draws charts in pages anew, from npm
	crates/plot/assets/fetch.sh

bench:  ## benchmarks of the parts
	$(CARGO) bench --package airpath-benches

clean:  ## remove what was built
	$(CARGO) clean
