"""Arrays in place: where the elements are, whoever made them."""

import ml_dtypes
import numpy as np
import pytest
from wavewright.arrays import as_array, is_array
from wavewright.errors import LaunchTypeError, LaunchValueError

DTYPES = {
    np.float64: "f64",
    np.float32: "f32",
    np.float16: "f16",
    ml_dtypes.bfloat16: "bf16",
    ml_dtypes.float8_e4m3fn: "fp8",
    ml_dtypes.float8_e5m2: "bf8",
    np.int64: "i64",
    np.int32: "i32",
    np.int8: "i8",
    np.uint16: "u16",
    np.bool_: "bool",
}


@pytest.mark.parametrize("dtype, name", DTYPES.items())
def test_numpy_arrays_are_used_in_place(dtype, name):
    a = np.zeros((3, 5), dtype)
    array = as_array(a)
    assert array.pointer == a.ctypes.data and array.dtype == name
    assert array.shape == (3, 5) and array.strides == (5, 1)
    assert array.span() == (a.ctypes.data, a.nbytes)
    assert not array.read_only and array.device == "cpu" and array.owner is a


def test_strides_and_their_span():
    a = np.zeros((8, 6, 10), np.float32)
    array = as_array(a[::-2, 1:4, ::3])
    assert array.strides == (-120, 10, 3) and array.shape == (4, 3, 4)
    low, size = array.span()
    assert low == a.ctypes.data + (1 * 60 + 10) * 4
    assert low + size == a.ctypes.data + (7 * 60 + 3 * 10 + 9) * 4 + 4
    assert as_array(np.broadcast_to(np.float32(1), (4, 4))).strides == (0, 0)
    assert as_array(np.zeros((0, 4), np.float32)).span()[1] == 0
    assert as_array(np.array(1.0)).shape == ()


def test_alignment_is_of_address_and_pitches():
    base = np.zeros(4096, np.uint8)
    start = -base.ctypes.data % 64
    aligned = base[start : start + 2048]
    assert as_array(aligned.view(np.float32).reshape(8, 64)).alignment() == 16
    assert as_array(aligned[4:].view(np.float32)).alignment() == 4
    assert as_array(aligned[: 8 * 4 * 62].view(np.float32).reshape(8, 62)).alignment() == 8
    # The pitch of a single row does not matter.
    assert as_array(aligned[: 4 * 3].view(np.float32).reshape(1, 3)).alignment() == 16


def test_read_only_arrays_say_so():
    a = np.zeros(4, np.float32)
    a.flags.writeable = False
    assert as_array(a).read_only


class Dlpack:
    """Speaks DLPack and nothing else, as other libraries' arrays do."""

    def __init__(self, array, old=False):
        self.array, self.old = array, old

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **keywords):
        if self.old and keywords:
            raise TypeError("unexpected keyword")
        return self.array.__dlpack__(**keywords)


@pytest.mark.parametrize("old", [False, True])
def test_dlpack_is_used_in_place(old):
    a = np.arange(24, dtype=np.float32).reshape(4, 6)[:, ::2]
    array = as_array(Dlpack(a, old))
    assert array.pointer == a.ctypes.data and array.dtype == "f32"
    assert array.shape == (4, 3) and array.strides == (6, 2)


def test_dlpack_read_only():
    a = np.zeros(4, np.int32)
    a.flags.writeable = False
    assert as_array(Dlpack(a)).read_only


def test_torch_tensors_are_used_in_place():
    torch = pytest.importorskip("torch", reason="needs torch")
    t = torch.zeros(4, 6, dtype=torch.bfloat16)
    array = as_array(t.T)
    assert array.pointer == t.data_ptr() and array.dtype == "bf16" and array.strides == (1, 6)
    with pytest.raises(LaunchTypeError, match="detach"):
        as_array(torch.zeros(4, requires_grad=True))


@pytest.mark.parametrize(
    "value, error, words",
    [
        ([1, 2], LaunchTypeError, "list"),
        (None, LaunchTypeError, "NoneType"),
        (np.zeros(4, ">f4"), LaunchTypeError, "newbyteorder"),
        (np.array(["x"]), LaunchTypeError, "<U1"),
        (np.zeros(4, [("a", "<f4")]), LaunchTypeError, "no kernel takes"),
        (np.zeros(4, [("a", "<f4"), ("b", "i1")])["a"], LaunchValueError, "5 bytes"),
        (np.ma.masked_array([1.0], [True]), LaunchTypeError, "filled"),
    ],
)
def test_what_is_no_array_is_refused(value, error, words):
    with pytest.raises(error, match=words):
        as_array(value, "argument 0")


def test_numbers_are_no_arrays():
    assert is_array(np.zeros(1)) and is_array(Dlpack(np.zeros(1)))
    assert not any(map(is_array, (1, 1.0, np.float32(1), np.int64(1), b"x", ml_dtypes.bfloat16(1))))
