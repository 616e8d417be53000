# Every target is one script of the same name under scripts/; CI runs the same ones.
# make guide TRIALS=2 SERVERS="v1@1.17.18" JOBS=1   fewer trials, other servers, one notebook at a time
# make guide TRIALS=10 ARMS=all                      as the nightly run: every arm on every server
export TRIALS SERVERS SEED JOBS ARMS

PYTHON_ENV := .venv/bin/python

.PHONY: help setup guide render lab test check bench clean

help:
	@echo "make guide   set up, run the notebooks on real servers, build site/index.html (TRIALS=, SERVERS=, SEED=, JOBS=, ARMS=)"
	@echo "make test    set up, run every check and every test"
	@echo "make lab     set up, open the notebooks in JupyterLab"
	@echo "make render  build site/ again from the last run, no server needed"
	@echo "make bench   measure start-up, doctor and the lab, each beside its floor"
	@echo "make clean   remove build/, site/ and runs/"

setup:
	@scripts/setup
	@$(PYTHON_ENV) -m wedged servers install

# The guide ends with this make, also when make was killed before the guide could look who its parent is.
guide: export WEDGED_PARENT := $(shell echo $$PPID)
guide: setup
	@$(PYTHON_ENV) scripts/guide

render:
	@scripts/setup
	@$(PYTHON_ENV) scripts/render

lab: setup
	@scripts/lab

test: setup
	@scripts/test

check:
	@scripts/setup
	@scripts/check

bench: setup
	@$(PYTHON_ENV) -m benchmarks.start_up
	@$(PYTHON_ENV) -m benchmarks.doctor_url
	@$(PYTHON_ENV) -m benchmarks.doctor_file
	@$(PYTHON_ENV) -m benchmarks.trials

clean:
	rm -rf build site runs
