"""What a launch refuses, at the line of the call, before anything runs."""

import hk
import numpy as np
import pytest
from wavewright.errors import LaunchError, TraceError, UsageError

import wavewright

DEVICE = "emu:gfx1100"


@hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 16), hk.cdiv(p.o.rows, 16)))
def scale(a: hk.Tensor[hk.f32], o: hk.Tensor[hk.f32], x: hk.f32, n: hk.i32 = 1, *, WIDE=16):
    idx = hk.tile_coord(0, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
    o[idx] = a[idx].load(hk.RT(hk.f32, 16, WIDE)) * x + n


def array(*shape):
    return np.ones(shape, np.float32)


def refused(error, *words, arguments, kernel=scale, **keywords):
    with pytest.raises(error) as caught:
        kernel(*arguments, **({"device": DEVICE} | keywords))
    raised = caught.value
    assert isinstance(raised, LaunchError)
    assert raised.place is not None and raised.place.file == __file__
    for word in words:
        assert word in raised.message, raised.message


def test_the_number_of_arguments():
    a = array(4, 4)
    refused(TypeError, "takes 2 arrays and 2 scalars (a, o, x, n), 2 arguments", arguments=(a, a))
    refused(TypeError, "5 arguments were given", arguments=(a, a, 1.0, 1, 2))
    refused(TypeError, "no parameter 'WIDER'; did you mean 'WIDE'", arguments=(a, a, 1.0), WIDER=2)
    refused(TypeError, "'x' twice", arguments=(a, a, 1.0), x=2.0)


def test_arrays():
    a = array(4, 4)
    refused(TypeError, "array 'a' of scale", "fp16", arguments=(a.astype(np.float16), a, 1.0))
    refused(TypeError, "array 'o' of scale", "list", arguments=(a, [[1.0]], 1.0))
    refused(TypeError, "5 dimensions", arguments=(a.reshape(1, 1, 1, 4, 4), a, 1.0))
    refused(ValueError, "np.ascontiguousarray(x)", arguments=(a.T, a, 1.0))
    fixed = array(4, 4)
    fixed.flags.writeable = False
    refused(ValueError, "array 'o' of scale is read-only", arguments=(a, fixed, 1.0))


def test_scalars():
    a = array(4, 4)
    refused(TypeError, "scalar 'x' of scale is f32, not str", arguments=(a, a, "1"))
    refused(TypeError, "scalar 'n' of scale is i32, not 1.5", arguments=(a, a, 1.0, 1.5))
    refused(ValueError, "4294967296 does not fit i32", arguments=(a, a, 1.0, 1 << 32))


def test_the_grid():
    a = array(4, 4)
    for grid, error, words in [
        (lambda p: p.o.rows / 16, TypeError, "use hk.cdiv or //"),
        (lambda p: -p.o.rows, ValueError, "negative"),
        ((1, 1, 1, 1), TypeError, "4 extents"),
    ]:
        kernel = hk.kernel(grid=grid)(scale._function)
        refused(error, words, kernel=kernel, arguments=(a, a, 1.0))


def test_devices():
    a = array(4, 4)
    with pytest.raises(UsageError, match="gfx1100"):
        scale(a, a, 1.0, device="emu:gfx1")
    only = hk.kernel(arch="gfx950")(scale._function)
    refused(ValueError, "is for gfx950", "gfx1100", kernel=only, arguments=(a, a, 1.0))


def test_what_cannot_be_traced_is_refused_at_the_launch_too():
    with pytest.raises(TraceError, match="multiple of 16"):
        scale(array(4, 4), array(4, 4), 1.0, WIDE=20, device=DEVICE)


def test_empty_arrays_launch_nothing():
    o = array(0, 5)
    assert scale(array(0, 5), o, 2.0, device=DEVICE) is None


def test_arrays_of_objects():
    a = np.ones((4, 4), object)
    refused(TypeError, "array 'a' of scale", "Python objects", arguments=(a, a, 1.0))


@pytest.mark.parametrize("device", ["emu:gfx900", "cuda", "emu:gfx1250"])
def test_an_unknown_device_is_refused_at_the_call(device):
    a = array(4, 4)
    with pytest.raises(UsageError) as caught:
        scale(a, a, 1.0, device=device)
    assert caught.value.place.file == __file__
    assert "gfx1100" in caught.value.message


def test_an_array_that_is_stored_into_is_not_copied_away():
    a = array(4, 4)
    refused(ValueError, "the kernel stores into it", "np.empty", arguments=(a, a.T, 1.0))


@pytest.mark.parametrize("device", [0, ""])
def test_a_device_is_a_name(device):
    a = array(4, 4)
    with pytest.raises(UsageError, match="device is a name, as 'emu:gfx950'"):
        scale(a, a, 1.0, device=device)


def test_the_budget_is_named_as_it_is_given():
    a = array(64, 64)
    with pytest.raises(LaunchError, match=r"budget of 1 wave-instructions.* budget \(--budget\)"):
        scale.launch(a, a, 1.0, device=DEVICE, options={"budget": 1})


def test_a_grid_beyond_what_a_launch_counts():
    a = array(4, 4)
    wide = hk.kernel(grid=(1 << 30, 1, 1))(scale._function)
    with pytest.raises(LaunchError, match="1073741824 work-groups of 32 .* at most 4294967295"):
        wide(a, a, 1.0, device=DEVICE)


def test_a_module_without_a_kernel_is_not_compiled():
    with pytest.raises(UsageError, match="has no kernel.* hk.kernel or rocke.kernel"):
        wavewright.compile_text('module attributes {wavewright.arch = "gfx1100"} {}')
