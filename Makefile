# `make test` is everything that must hold before a change goes in.
# It needs cargo, rustc (with rustfmt and clippy), bash, cmp and diff.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:

CARGO ?= cargo
STUDIES := rate-delay short-tti l4s-5g lte-in-depth

.PHONY: help test format lint unit doc determinism current page bench clean

help:  ## say what there is
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)$$/\1\t\2/p' Makefile | expand -t 14

test: format lint unit doc determinism current  ## all checks

format:  ## the code is formatted
	$(CARGO) fmt --all --check

lint:  ## clippy has nothing to say
	$(CARGO) clippy --workspace --all-targets -- -D warnings

unit:  ## unit, property, integration and documentation tests
	$(CARGO) test --workspace

doc:  ## the documentation builds, and no link in it is broken
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# Every file of a results folder but timing.json, twice from the same scenario and
# seed, must have the same bytes; so must a study with one worker and with two.
determinism:  ## the same scenario and seed give the same bytes
	@folder=$$(mktemp -d)
	trap 'rm -rf "$$folder"' EXIT
	$(CARGO) build --quiet
	for scenario in scenarios/*.toml; do
	  name=$$(basename "$$scenario" .toml)
	  points='["server", "sgi", "s1", "ue"]'
	  if grep -q '^radio = "none"' "$$scenario"; then points='["server", "ue"]'; fi
	  for arm in one two; do
	    $(CARGO) run --quiet -- run "$$scenario" --quiet --out "$$folder/$$name-$$arm" \
	      --set duration="3 s" --set output.packets=true --set output.series="10 ms" \
	      --set output.pcap="$$points"
	  done
	  diff --recursive --brief --exclude=timing.json "$$folder/$$name-one" "$$folder/$$name-two"
	  echo "$$name: the same twice"
	done
	for study in $(STUDIES); do
	  for workers in 1 2; do
	    RAYON_NUM_THREADS=$$workers $(CARGO) run --quiet -- reproduce $$study --seeds 3 \
	      --out "$$folder/$$study-$$workers" > /dev/null
	  done
	  diff --recursive --brief --exclude=timing.json "$$folder/$$study-1" "$$folder/$$study-2"
	  echo "$$study: the same with one worker and with two"
	done

current:  ## the studies' pages and pictures are what the program measures
	@folder=$$(mktemp -d)
	trap 'rm -rf "$$folder"' EXIT
	for study in $(STUDIES); do
	  $(CARGO) run --quiet -- reproduce $$study --page "$$folder" > /dev/null
	  for file in studies/$$study.md $$(cd "$$folder" && ls img/$$study-*.svg 2> /dev/null); do
	    cmp "$$folder/$$file" "docs/$$file" || { echo "docs/$$file is old: make page"; exit 1; }
	  done
	  echo "$$study: its page and pictures are what the program measures"
	done

page:  ## write the studies' pages and pictures anew
	for study in $(STUDIES); do
	  $(CARGO) run --release --quiet -- reproduce $$study --page docs > /dev/null
	done

bench:  ## benchmarks of the parts
	$(CARGO) bench --package airpath-benches

clean:  ## remove what was built
	$(CARGO) clean
