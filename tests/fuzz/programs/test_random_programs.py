"""A slice of the campaign (see campaign.py), and the fuzzer's own promises."""

import campaign
import generator
import pytest
import reducer
import twin

SEED = 20


@pytest.mark.parametrize("chip", twin.CHIPS)
def test_a_few_generated_programs(chip):
    start = 32 * twin.CHIPS.index(chip)
    outcome = campaign.run_batch(SEED, range(start, start + 8), [chip])
    assert outcome["clean"][chip] == 8, [f.words for f in outcome["failures"]]


@pytest.mark.long
@pytest.mark.parametrize("batch", range(10))
def test_more_generated_programs(batch):
    indices = range(1024 + 32 * batch, 1056 + 32 * batch)
    outcome = campaign.run_batch(SEED, indices, twin.CHIPS)
    assert not outcome["failures"], [
        f"{campaign.command_of(SEED, f)}\n{f.words}" for f in outcome["failures"]
    ]


def test_a_program_is_what_its_seed_says():
    assert generator.generate(7, 3).text() == generator.generate(7, 3).text()
    assert generator.generate(7, 3).text() != generator.generate(8, 3).text()


def test_a_program_that_differs_is_found(tmp_path):
    """The device's half of this one says something else."""
    kernel = generator.generate(SEED, 0)
    kernel.results.append(
        generator.Statement("\n#ifdef __AMDGCN__\nout[ITEM * 4 + 1] += TID == 5;\n#endif\n")
    )
    wrong = campaign.Pair(generator.source_of([kernel])).judge("gfx1100", "O1")
    assert "differs" in wrong[kernel.name] and campaign.kind_of(wrong[kernel.name]) == "differs"
    failure = campaign.Failure(kernel, "gfx1100", "O1", wrong[kernel.name])
    path = campaign.write_failure(tmp_path, SEED, failure, reduce=False)
    assert "--seed 20 --only 0 --chips gfx1100 --level O1" in path.read_text()


def test_the_reducer_leaves_what_fails():
    """Here a program fails when it still divides."""
    kernel = next(k for i in range(200) if "quotient<" in (k := generator.generate(SEED, i)).text())
    calls = 0

    def fails(kernels):
        nonlocal calls
        calls += 1
        return ["quotient<" in k.text() for k in kernels]

    small = reducer.reduce(kernel, fails)
    assert "quotient<" in small.text() and len(list(small.statements())) <= 3
    assert len(small.text()) < len(kernel.text()) and calls < 200
