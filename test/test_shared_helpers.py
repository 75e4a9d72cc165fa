"""Two processes compile one entry: large helpers come from the second one, and from the first if that fails."""

import os
import sys

import pytest
from compile_bench import AHEAD, Bench

from legged_contact_sim import Simulator
from legged_contact_sim.contact.log import record
from legged_contact_sim.contact.stepping.rollout import NO_LOG
from legged_contact_sim.contact.stepping.time_stepping import large_helpers
from legged_contact_sim.jit import Call

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere every process compiles for itself")


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.mark.parametrize(
    "works",
    ["", "Call(small_kernels.square, ('a word',)), " + AHEAD],  # the first of them does not compile
    ids=["none", "failing"],
)
def test_a_helper_that_nobody_compiles_ahead_is_compiled_with_its_entry(bench, works):
    bench.run(works)
    helper = {note.process for note in bench.notes() if (note.name, note.type) == ("square", "float64")}
    assert helper == bench.processes("entry")


def test_helpers_come_before_other_works_and_what_cannot_be_sent_is_left_out(bench):
    """A work that ends its process comes last; a lambda cannot be sent."""
    _, told = bench.run("lambda: None, partial(os._exit, 1), " + AHEAD)
    assert " of 3 parts" in told
    assert bench.processes("square").isdisjoint(bench.processes("entry"))


def test_a_helper_that_is_given_a_function_is_compiled_with_its_entry(bench):
    text = bench.module.read_text().replace("square(x[k])", "apply(square, x[k])")
    bench.module.write_text(text.replace("@compiled", "@shared\ndef apply(f, x):\n    return f(x)\n\n@compiled"))
    _, told = bench.run(AHEAD)
    assert "WARNING" not in told
    assert [path.parent.name.split("-")[0] for path in bench.cache.rglob("*.helper")] == ["small_helper.square"]
    assert bench.processes("square").isdisjoint(bench.processes("entry"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux can be told to use one processor")
def test_one_processor_is_not_asked_to_do_two_things(bench):
    bench.run(AHEAD, prelude="import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n")
    assert bench.processes("square") == bench.processes("entry")


def test_the_helpers_promised_to_a_step_are_those_that_it_takes():
    """A promise for other types than the step's is compiled twice. `make test` compiles steps without promises."""
    simulator = Simulator("double_pendulum")
    simulator.step()
    model = simulator.model
    promised = large_helpers(model.system, model.settings[0], model.solve)
    promised.append(Call(record, (model.system, 0.0, NO_LOG.ravel())))
    names = [call.helper.__name__ for call in promised]
    assert names == ["find_contacts", "fill_rows", "solve_by_blocks", "book_contacts", "record"]
    assert [call.helper.__name__ for call in promised if not call.file.is_file()] == []
