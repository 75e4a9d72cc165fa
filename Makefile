# make test   is all a fresh machine needs: Python 3.11 to 3.13 with pip's registry in reach.
# make sim    likewise; ROS 2 comes from PyPI unless one is sourced.
PYTHON ?= python3
VENV   ?= .venv
WORKERS ?= 2
# What `make sim` simulates: a file of config/, and further arguments of `legged-contact-sim run`.
SCENARIO ?= quadruped_stand
ARGS     ?=
# What an environment holds: a file of requirements/.
PACKAGES ?= test

RUN     := $(VENV)/bin/python
SOURCES := setup.py setup.cfg package.xml
JIT_TESTS := test/test_compilation.py test/test_compile_process.py test/test_kernel_cache.py test/test_shared_helpers.py
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore
INSTALL := requirements/install.sh $(VENV)
# The environment of a run is made slim after every installation.
SLIM = if [ $(PACKAGES) = sim ] && [ -d $(VENV)/.uv ]; then $(RUN) requirements/slim.py; fi
OFFLINE := { echo "pip could not install it; is its package index in reach?" >&2; exit 1; }

.PHONY: help test test-floor sim run view look docs pages pictures matrix test-wheel soak lint types bench judge bench-ros clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Tests start hundreds of processes: bytecode spares each of them seconds, also where an environment forbids it.
test: export PYTHONDONTWRITEBYTECODE :=
test: lint types $(VENV)/.ros ## lint, type-check and run the tests (PYTEST_ADDOPTS is respected; WORKERS=2)
	@echo "== compiling kernels (minutes, once)"
	@$(RUN) test/compile_kernels.py
	@echo "== pytest"
	@PYTEST_ADDOPTS="-n $(WORKERS) --dist loadfile $$PYTEST_ADDOPTS" $(RUN) -m pytest -q

test-floor: requirements/floor.txt ## the tests of the compiler with the oldest numba that setup.py allows (Python 3.12 at most)
	@$(PYTHON) -m venv $(VENV)-floor
	@$(VENV)-floor/bin/python -m pip --quiet --quiet install -r requirements/floor.txt || $(OFFLINE)
	@$(VENV)-floor/bin/python -m pytest -q $(JIT_TESTS)

# A run gets an environment of its own, without test tools; where the one of `make test` is there, it serves.
LEAN := $(if $(wildcard $(VENV)/.ros),VENV=$(VENV),VENV=$(VENV)-sim PACKAGES=sim)

sim: ## simulate over ROS 2 until Ctrl-C (SCENARIO=quadruped_stand, ARGS="--record")
	@$(MAKE) --no-print-directory $(LEAN) run

run: $(VENV)/.ros $(if $(findstring --record,$(ARGS)),$(VENV)/.record) $(if $(findstring --view,$(ARGS)),$(VENV)/.view)
	@$(SLIM)
	@$(VENV)/bin/legged-contact-sim run $(SCENARIO) $(ARGS)

# Without ROS, either environment serves.
SMALL := $(if $(wildcard $(VENV)/.packages),VENV=$(VENV),VENV=$(VENV)-sim PACKAGES=sim)

view: ## a robot or scenario in the browser, without ROS (SCENARIO=quadruped_trot, a name or a URDF file)
	@$(MAKE) --no-print-directory $(SMALL) look

look: $(VENV)/.view
	@$(SLIM)
	@$(VENV)/bin/legged-contact-sim view $(if $(filter-out quadruped_stand,$(SCENARIO)),$(SCENARIO)) $(ARGS)

docs: ## build the site into site/
	@$(MAKE) --no-print-directory $(SMALL) pages

pages: requirements/docs.txt $(VENV)/.packages
	@$(RUN) -c 'import latex2mathml, material' 2>/dev/null || \
		{ echo "== adding the generator of the site to $(VENV) (requirements/docs.txt)"; $(INSTALL) -r requirements/docs.txt; }
	@$(SLIM)
	@NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --quiet

pictures: $(VENV)/.packages ## draw the pictures of the documentation from real runs
	@$(VENV)/bin/legged-contact-sim film docs/pictures/trot.yaml -o docs/pictures/trot.gif \
		--start 3.2 --duration 1.6 --rate 15 --width 560 --height 315

matrix: $(VENV)/.packages ## measure what each contact model does, for README and documentation
	@$(RUN) docs/make_matrix.py

test-wheel: $(VENV)/.packages ## the wheel with its extras, installed into an empty environment and run over ROS 2 (minutes)
	@$(RUN) test/try_wheel.py

soak: $(VENV)/.ros ## the long tests of the nodes: hundreds of resets under load
	@SOAK=1 $(RUN) -m pytest -q test/nodes

lint: $(VENV)/.packages ## ruff
	@echo "== ruff"
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --quiet --check . || { echo "not formatted: ruff format" >&2; exit 1; }

types: $(VENV)/.packages ## mypy
	@echo "== mypy"
	@$(RUN) -m mypy

bench: $(VENV)/.bench ## compare with other engines
	@$(RUN) -m benchmarks

judge: $(VENV)/.bench ## errors against closed forms and conservation, beside those of MuJoCo, DART, Drake and Pinocchio; SimBenchmark
	@$(RUN) -m benchmarks judge

bench-ros: $(VENV)/.ros ## how much of a core the simulator node takes at full load (a minute)
	@$(RUN) -m benchmarks.ros_load

clean: ## remove the environment, caches and build products
	@rm -rf $(VENV) $(VENV)-sim $(VENV)-floor build install log site *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.packages: requirements/$(PACKAGES).txt $(SOURCES) | $(VENV)/.python
	@echo "== installing requirements/$(PACKAGES).txt and this package into $(VENV) (a minute or two, once)"
	@$(INSTALL) -r requirements/$(PACKAGES).txt
	@$(INSTALL) --no-deps --no-build-isolation --editable .
	@$(RUN) -m compileall -q legged_contact_sim
	@touch $@

# A sourced ROS 2 is used as it is; without one, its wheels and the interfaces that they lack are added. Runs do without
# simulation_interfaces, tests do not.
ALL = $(if $(filter test,$(PACKAGES)),--all)
$(VENV)/.ros: requirements/ros.txt $(wildcard interfaces/*/*/*) interfaces/build.py $(VENV)/.packages
	@if $(RUN) -c 'import sys, rclpy; sys.exit(rclpy.__file__.startswith(sys.prefix))' 2>/dev/null; then \
		$(RUN) -c 'import control_msgs.action, legged_contact_sim_msgs.msg as m; m.EnergyAudit().moving_ground' 2>/dev/null || \
		echo "== a sourced ROS 2 without control_msgs or legged_contact_sim_msgs: install the one, build interfaces/messages with colcon"; \
	elif [ "$$(uname -sm)" != "Linux x86_64" ]; then \
		echo "== no ROS 2 wheels for this platform: without a sourced ROS 2 there are no nodes" >&2; \
	elif ! $(RUN) -c 'import rclpy, tf2_msgs.action, control_msgs.action, legged_contact_sim_msgs.msg as m; m.EnergyAudit().moving_ground$(if $(ALL),; import simulation_interfaces.srv)' 2>/dev/null; then \
		echo "== adding ROS 2 from PyPI to $(VENV) (requirements/ros.txt)"; \
		$(INSTALL) --no-deps --force-reinstall -r requirements/ros.txt && $(RUN) interfaces/build.py $(ALL); \
	fi
	@touch $@

$(VENV)/.view: requirements/view.txt $(VENV)/.packages
	@$(RUN) -c 'import viser' 2>/dev/null || \
		{ echo "== adding the browser page to $(VENV) (requirements/view.txt)"; $(INSTALL) -r requirements/view.txt; }
	@touch $@

$(VENV)/.record: requirements/record.txt $(VENV)/.packages
	@$(RUN) -c 'import mcap, rosbags, zstandard' 2>/dev/null || \
		{ echo "== adding the recorder to $(VENV) (requirements/record.txt)"; $(INSTALL) -r requirements/record.txt; }
	@touch $@

$(VENV)/.bench: requirements/bench.txt $(VENV)/.packages
	@echo "== adding the engines of requirements/bench.txt to $(VENV)"
	@$(INSTALL) -r requirements/bench.txt
	@touch $@

# An environment that is there and works is kept.
$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "the pinned requirements need Python 3.11 or later; set PYTHON=python3.x" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "== installing python3-venv"; apt-get -qq update && apt-get -qq install -y python3-venv >/dev/null; \
		else echo "Python's venv module is missing: install python3-venv" >&2; exit 1; fi
	@[ -x $(RUN) ] && $(RUN) -m pip --version >/dev/null 2>&1 || \
		{ echo "== making the environment $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
	@touch $@
