"""Host arrays as a launch takes them: shapes, strides, facts, and what is refused by name."""

import hk
import ml_dtypes
import numpy as np
import pytest
from hk.arrays import host_array
from wavewright.errors import LaunchError, Place

HERE = Place(__file__, 1)


def take(array, dtype=hk.f32, written=False, rows=16):
    return host_array(array, "array 'x' of k", dtype, written, rows, HERE)


def refused(error, *words, **arguments):
    with pytest.raises(error) as caught:
        take(**arguments)
    assert isinstance(caught.value, LaunchError)
    assert caught.value.place == HERE
    for word in words:
        assert word in caught.value.message, caught.value.message


class Foreign:
    """Another library's array: DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5), (7, 2, 3, 5)])
def test_missing_dimensions_are_one_on_the_left(shape):
    x = np.zeros(shape, np.float32)
    taken = take(x)
    assert taken.shape == (1,) * (4 - len(shape)) + shape
    assert taken.pointer == x.ctypes.data


@pytest.mark.parametrize("dimensions", [0, 5])
def test_other_ranks(dimensions):
    refused(
        TypeError, f"has {dimensions} dimensions", array=np.zeros((1,) * dimensions, np.float32)
    )


def test_strided_outer_dimensions_are_taken_as_they_lie():
    x = np.zeros((6, 10, 64), np.float32)[::2, 1:9, 16:48]
    taken = take(x)
    assert taken.shape == (1, 3, 8, 32)
    assert taken.strides == (0, 1280, 64, 1)


def test_inner_strides_are_refused_with_the_fix():
    x = np.zeros((8, 8), np.float32)
    fix = "np.ascontiguousarray(x)"
    refused(ValueError, "inner stride", "2 elements", fix, array=x[:, ::2])
    refused(ValueError, "inner stride", "8 elements", fix, array=x.T)
    refused(ValueError, "inner stride", "negative", fix, array=x[:, ::-1])
    refused(ValueError, "negative row stride", fix, array=x[::-1])
    refused(ValueError, "repeats one element", fix, array=np.broadcast_to(x[:, :1], (8, 8)))
    assert take(x[:, 3:4]).strides == (0, 0, 8, 1)  # one column has no inner stride


def test_zero_strides_are_read_only():
    x = np.broadcast_to(np.zeros(8, np.float32), (4, 8))
    assert take(x).strides == (0, 0, 0, 1)
    refused(ValueError, "read-only", array=x, written=True)
    y = np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), (4, 8), (0, 4))
    refused(ValueError, "repeats its memory along row", array=y, written=True)


def test_an_output_is_writable():
    x = np.zeros((2, 2), np.float32)
    x.flags.writeable = False
    take(x)
    refused(ValueError, "read-only", "stores into it", array=x, written=True)


def test_element_types():
    for dtype, numpy in [
        (hk.bf16, ml_dtypes.bfloat16), (hk.fp16, np.float16), (hk.f32, np.float32),
        (hk.i32, np.int32), (hk.i16, np.int16), (hk.i8, np.int8),
    ]:  # fmt: skip
        assert take(np.zeros(3, numpy), dtype).dtype is dtype
        assert dtype.numpy == np.dtype(numpy)
    refused(TypeError, "of fp16, the kernel takes f32", array=np.zeros(3, np.float16))
    refused(TypeError, "an array of f64", array=np.zeros(3))
    refused(TypeError, "is a list", "DLPack", array=[1.0])


def test_facts_are_what_divides():
    x = np.zeros(1024, np.float32)
    x = x[(-x.ctypes.data // 4) % 4 :][:960]  # the base at 16 bytes
    assert take(x[:512].reshape(8, 64)).facts == (16, 4)
    assert take(x[1:513].reshape(8, 64)).facts == (4, 4)
    assert take(x[:528].reshape(8, 66)).facts == (8, 2)
    assert take(x[:520].reshape(8, 65)[:, :64]).facts == (4, 4)
    assert take(x[:65]).facts == (16, 1)
    assert take(np.zeros((4, 0), np.float32)).facts[1] == 4


def test_a_tile_spans_less_than_2_gib():
    x = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (64, 4), (1 << 28, 4))
    assert take(x, rows=8).shape == (1, 1, 64, 4)
    refused(ValueError, "a tile of 16 rows", "2 GiB", array=x, rows=16)


def test_dlpack():
    x = np.zeros((6, 8), np.float32)
    taken = take(Foreign(x[::2]))
    assert (taken.pointer, taken.shape) == (x.ctypes.data, (1, 1, 3, 8))
    assert taken.strides == (0, 0, 16, 1) and not taken.readonly
    refused(TypeError, "of fp16, the kernel takes f32", array=Foreign(x.astype(np.float16)))
    refused(ValueError, "inner stride", array=Foreign(x.T))


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.zeros(4, 8, dtype=torch.bfloat16)
    taken = take(x, hk.bf16)
    assert (taken.pointer, taken.shape) == (x.data_ptr(), (1, 1, 4, 8))
