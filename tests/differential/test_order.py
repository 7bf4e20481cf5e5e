"""What must not show: how many threads emulate a launch, and which chip adds integers."""

import functools

import numpy as np
import pytest
import twin

TEXT = (twin.FOLDER / "ordered.cpp").read_text()
PROGRAMS = {p.name: p for p in twin.programs_of(TEXT)}


@functools.cache
def module(chip):
    return twin.DeviceModule(TEXT, chip, "O2")


def same_bits(first, second):
    return all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


@pytest.mark.parametrize("chip", twin.CHIPS)
def test_bits_do_not_depend_on_threads(chip):
    for program in PROGRAMS.values():
        inputs = twin.make_inputs(program)
        alone = module(chip).run(program, inputs, threads=1)
        assert any(o.any() for o in alone), program.name
        for threads in (2, 8):
            for _ in range(3):
                got = module(chip).run(program, inputs, threads=threads)
                assert same_bits(alone, got), f"{program.name} with {threads} threads"


@pytest.mark.parametrize("chip", twin.CHIPS)
def test_what_the_order_leaves_open_is_still_right(chip):
    def run(name):
        inputs = twin.make_inputs(PROGRAMS[name])
        return inputs, module(chip).run(PROGRAMS[name], inputs, threads=2)

    (a,), outputs = run("scan_of_integers")
    assert (outputs[0] == np.cumsum(a, dtype=np.uint32)).all()
    (a,), outputs = run("scan_of_floats")
    exact = np.cumsum(a.astype(np.float64))
    assert np.allclose(outputs[0], exact, atol=len(a) * 8 * 2.0**-24 * 8, rtol=0)
    _, (numbers, following) = run("tickets")
    assert sorted(numbers) == list(range(len(numbers))) and following[0] == len(numbers)
    (a, b), (sums, wide) = run("float_sums")
    bins = np.zeros(16)
    np.add.at(bins, np.arange(len(b)) * 5 & 15, b)
    assert np.allclose(wide, bins, rtol=0, atol=1e-11)
    np.add.at(bins := np.zeros(16), np.arange(len(a)) * 7 & 15, a.astype(np.float64))
    assert np.allclose(sums, bins, rtol=0, atol=len(a) / 16 * 2000 * 2.0**-24)
    (a,), (o, total, following, owners) = run("persistent")
    assert (owners > 0).all() and following[0] == 256 + 8
    assert np.isclose(total[0], o[::64].astype(np.float64).sum(), atol=256 * 512 * 2.0**-24)


def integer_sources():
    quick = ["bits"]
    for stem in ("bits", "integers", "control", "shared", "atomics"):
        yield pytest.param(stem, marks=() if stem in quick else (pytest.mark.long,))


@pytest.mark.parametrize("stem", list(integer_sources()))
def test_chips_agree_on_integers(stem):
    text = (twin.FOLDER / "programs" / f"{stem}.cpp").read_text()
    integers = [
        p
        for p in twin.programs_of(text)
        if not p.wave and not p.only and all(v.type[0] in "ui" for v in p.inputs + p.outputs)
    ]
    assert len(integers) >= 8
    modules = [twin.DeviceModule(text, chip, "O3") for chip in twin.CHIPS]
    for program in integers:
        inputs = twin.make_inputs(program, seed=1)
        first, *others = [m.run(program, inputs) for m in modules]
        for chip, other in zip(twin.CHIPS[1:], others, strict=True):
            assert same_bits(first, other), f"{program.name}: {twin.CHIPS[0]} and {chip} differ"
