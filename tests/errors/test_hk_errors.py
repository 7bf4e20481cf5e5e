"""Every refusal of the hk language: its class, its line, and the way out in its words."""

import inspect
import math

import hk
import numpy as np
import pytest
from wavewright.errors import Error, TraceError

T = hk.RT(hk.f32, 16, 32)


def refused(kernel, error, *words, line=None, **constants):
    """Traces; the error has these words and stands at the line whose source contains ``line``."""
    with pytest.raises(error) as caught:
        kernel.trace("gfx1100", **constants)
    raised = caught.value
    assert isinstance(raised, TraceError)
    for word in words:
        assert word in raised.message, raised.message
    if line is not None:
        source, first = inspect.getsourcelines(kernel._function)
        numbers = [first + i for i, text in enumerate(source) if line in text]
        assert raised.place.file == __file__
        assert raised.place.line in numbers, (raised.place, numbers)
    return raised


def test_extents_of_a_tile():
    with pytest.raises(ValueError, match="multiple of 16"):
        hk.RT(hk.bf16, 12, 64)
    with pytest.raises(ValueError, match="take 64 or 80"):
        hk.ST(hk.bf16, 16, 72)

    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()] = hk.zeros(hk.RT(hk.f32, 12, 64))

    refused(k, ValueError, "12", "multiple of 16", line="12, 64")


def test_a_dtype_is_wanted():
    with pytest.raises(TypeError, match="takes a dtype"):
        hk.RT("bf16", 16, 16)
    with pytest.raises(TypeError, match="takes a dtype"):
        hk.Tensor[float]


def test_shapes_that_differ():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        x, y = hk.zeros(T), hk.zeros(hk.RT(hk.f32, 32, 16))
        a[hk.tile_coord()] = x + y

    refused(k, TypeError, "16x32 and 32x16", "do not broadcast", "'+'", line="x + y")


def test_dtypes_that_differ():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()] = hk.zeros(T) * hk.zeros(hk.RT(hk.bf16, 16, 32))

    refused(k, TypeError, "f32 and bf16", ".to(hk.", line="a[hk.tile_coord()]")


def test_a_vector_that_does_not_fit():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()] = hk.zeros(T) + hk.zeros(hk.RT(hk.f32, 64, 64).col_vec)

    refused(k, TypeError, "do not broadcast", "col vector of 64", "col vector of 16 is wanted")


def test_a_scalar_of_another_type():
    @hk.kernel
    def k(a: hk.Tensor[hk.bf16], x: hk.f32):
        a[hk.tile_coord()] = hk.zeros(hk.RT(hk.bf16, 16, 16)) * x

    refused(k, TypeError, "run-time f32", ".to(hk.f32)", line="* x")


def test_a_float_into_integers():
    @hk.kernel
    def k(a: hk.Tensor[hk.i32]):
        a[hk.tile_coord()] = hk.zeros(hk.RT(hk.i32, 16, 16)) * 0.5

    refused(k, TypeError, "0.5 does not fit i32", ".to(hk.f32)")


def test_a_store_of_floats_into_integers():
    @hk.kernel
    def k(q: hk.Tensor[hk.i8]):
        q[hk.tile_coord()] = hk.zeros(T)

    refused(k, TypeError, "'q', a tensor of i8", ".to(hk.i8)", line="hk.zeros(T)")


def test_a_branch_on_a_vector_or_tile():
    @hk.kernel
    def vector(a: hk.Tensor[hk.f32]):
        v = a[hk.tile_coord()].load(T)
        if hk.row_max(v) > 0:
            a[hk.tile_coord()] = v

    refused(vector, TypeError, "a branch on a col vector", "hk.where", line="if hk.row_max")

    @hk.kernel
    def tile(a: hk.Tensor[hk.f32]):
        v = a[hk.tile_coord()].load(T)
        a[hk.tile_coord()] = v if bool(v) else -v

    refused(tile, TypeError, "a branch on a 16x32 tile", "hk.where", line="bool(v)")


def test_truth_of_a_scalar_outside_of_an_if_statement():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32], n: hk.i32):
        while n > 3:
            n = n - 1

    refused(k, TypeError, "no truth while tracing", "hk.where", line="while")


def test_a_branch_on_what_is_no_comparison():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32], n: hk.i32):
        if n:
            a[hk.tile_coord()] = hk.zeros(T)

    refused(k, TypeError, "not a comparison", "x != 0", line="if n:")


@pytest.mark.parametrize("word", ["return", "break", "continue"])
def test_jumps_under_a_run_time_condition(word):
    def make():
        if word == "return":

            @hk.kernel
            def k(a: hk.Tensor[hk.f32], n: hk.i32):
                if n > 0:
                    return
                a[hk.tile_coord()] = hk.zeros(T)

        elif word == "break":

            @hk.kernel
            def k(a: hk.Tensor[hk.f32], n: hk.i32):
                for _ in range(3):
                    if n > 0:
                        break

        else:

            @hk.kernel
            def k(a: hk.Tensor[hk.f32], n: hk.i32):
                for _ in range(3):
                    if n > 0:
                        continue

        return k

    refused(make(), TraceError, f"'{word}' under a run-time condition", line="if n > 0")


def test_break_in_a_run_time_loop():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32], n: hk.i32, *, F=True):
        for _ in hk.range(n):
            if F:
                break

    refused(k, TraceError, "'break' in a run-time loop", line="for _ in")


def test_a_loop_over_lanes_and_a_barrier_that_waves_do_not_share():
    @hk.kernel
    def lanes(a: hk.Tensor[hk.f32]):
        for _ in hk.range(hk.arch.lane_id):
            hk.arch.barrier()

    refused(lanes, TraceError, "depend on the lane", line="for _ in")

    @hk.kernel(warps=4)
    def waves(a: hk.Tensor[hk.f32]):
        for _ in hk.range(hk.arch.warp_id, 8, 4):
            hk.arch.barrier()

    refused(waves, TraceError, "a barrier under a trip count", line="barrier()")

    @hk.kernel(warps=4)
    def branch(a: hk.Tensor[hk.f32]):
        if hk.arch.warp_id == 0:
            hk.collective.sum(hk.zeros(T))

    refused(branch, TraceError, "under a condition that differs", line="collective.sum")

    @hk.kernel(warps=4)
    def counted(a: hk.Tensor[hk.f32]):
        n = 0
        for _ in hk.range(hk.arch.warp_id, 8, 4):
            n = n + 1
        for _ in hk.range(n):
            hk.arch.barrier()

    refused(counted, TraceError, "a barrier under a trip count", line="barrier()")


def test_steps_of_a_loop():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        for _ in hk.range(8, 0, -1):
            pass

    refused(k, ValueError, "a step of -1", line="for _ in")

    @hk.kernel
    def f(a: hk.Tensor[hk.f32], x: hk.f32):
        for _ in hk.range(x):
            pass

    refused(f, TypeError, "the stop of hk.range", "run-time f32", line="for _ in")


def test_python_range_over_a_run_time_number():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32], n: hk.i32):
        for _ in range(n):
            pass

    refused(k, TypeError, "hk.range", line="range(n)")


def test_a_loop_that_cannot_be_rewritten():
    names = {"hk": hk}
    exec(
        """
@hk.kernel
def k(a: hk.Tensor[hk.f32], n: hk.i32):
    for i in hk.range(n):
        a[hk.tile_coord(0, 0, i, 0)] = hk.zeros(hk.RT(hk.f32, 16, 16))

@hk.kernel
def branch(a: hk.Tensor[hk.f32], n: hk.i32):
    if n > 0:
        a[hk.tile_coord()] = hk.zeros(hk.RT(hk.f32, 16, 16))
""",
        names,
    )
    refused(names["k"], TraceError, "source", "exec", "file")
    refused(names["branch"], TypeError, "source", "exec", "file")


def test_parameters():
    cases = [
        ("*tensors: hk.Tensor[hk.f32]", "names each of its parameters"),
        ("a: hk.Tensor[hk.f32], **more", "names each of its parameters"),
        ("a: hk.Tensor[hk.f32], *, N", "needs a default"),
        ("a", "hk.Tensor"),
        ("a: hk.Tensor", "hk.Tensor[hk.bf16]"),
        ("a: 'hk.Tensor[hk.bf17]'", "hk.bf17"),
        ("a: hk.Tensor[hk.f32], *, arch=1", "belongs to trace"),
    ]
    for parameters, words in cases:
        names = {"hk": hk}
        with pytest.raises(TraceError) as caught:
            exec(f"@hk.kernel\ndef k({parameters}):\n    pass\n", names)
        text = caught.value.message.replace("has no 'bf17'", "hk.bf17")
        assert words in text, (parameters, text)


def test_names_in_the_grid():
    @hk.kernel(grid=lambda p: (p.q.rows, 1, 1))
    def k(a: hk.Tensor[hk.f32]):
        pass

    refused(k, AttributeError, "'q'", "not a parameter", "k")

    @hk.kernel(grid=lambda p: (p.a.row, 1, 1))
    def extent(a: hk.Tensor[hk.f32]):
        pass

    refused(extent, AttributeError, "batch, depth, rows and cols", "'row'")


def test_an_unknown_chip_names_the_nearest():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        pass

    with pytest.raises(KeyError) as caught:
        k.trace("gfx1101")
    assert "gfx1101" in str(caught.value) and "gfx1100" in str(caught.value)
    with pytest.raises(KeyError):
        hk.kernel(arch="gfx9999")(k._function)


def test_an_unknown_constant():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32], *, BLOCK=16):
        pass

    with pytest.raises(TypeError, match="no constant 'BLOK'; did you mean 'BLOCK'"):
        k.trace("gfx1100", BLOK=32)
    with pytest.raises(TypeError, match="hashable"):
        k.trace("gfx1100", BLOCK=[1])


def test_unknown_attributes():
    @hk.kernel
    def tensor(a: hk.Tensor[hk.f32]):
        a.row  # noqa: B018

    refused(tensor, AttributeError, "tensor 'a' has no 'row'", "did you mean 'rows'", line="a.row")

    @hk.kernel
    def tile(a: hk.Tensor[hk.f32]):
        hk.zeros(T).transpose()

    refused(tile, AttributeError, "a 16x32 tile of f32 has no 'transpose'", line="transpose")

    @hk.kernel
    def arch(a: hk.Tensor[hk.f32]):
        hk.arch.wave_id  # noqa: B018

    refused(arch, AttributeError, "hk.arch has no 'wave_id'", line="wave_id")
    with pytest.raises(AttributeError, match="hk has no 'zeroes'; did you mean 'zeros'"):
        hk.zeroes  # noqa: B018


def test_tensors_and_views_are_no_values():
    @hk.kernel
    def index(a: hk.Tensor[hk.f32]):
        a[0, 1].load(T)

    refused(index, TypeError, "indexed by hk.tile_coord", line="a[0, 1]")

    @hk.kernel
    def view(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()] + 1.0  # noqa: B018

    refused(view, TypeError, "a view of 'a' is no value: load it first", line="+ 1.0")

    @hk.kernel
    def number(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()] = 1.0

    refused(number, TypeError, "hk.full", line="= 1.0")


def test_matrix_products():
    def product(a, b, acc=None):
        @hk.kernel
        def k(o: hk.Tensor[hk.f32]):
            c = None if acc is None else hk.zeros(acc)
            o[hk.tile_coord()] = hk.mma_AB(hk.zeros(a), hk.zeros(b), c)

        return k

    b16 = hk.RT(hk.bf16, 32, 32)
    refused(product(b16, hk.RT(hk.bf16, 16, 32)), TypeError, "inner extents differ, 32 of", "16 of")
    refused(product(b16, hk.RT(hk.fp16, 32, 32)), TypeError, "bf16 and fp16")
    refused(product(T, hk.RT(hk.f32, 32, 16)), TypeError, "hk.mma_AB of f32", ".to(hk.bf16)")
    refused(product(b16, b16, b16), TypeError, "adds into a 32x32 tile of f32")


def test_shared_tiles():
    @hk.kernel
    def group(a: hk.Tensor[hk.bf16]):
        hk.group(4).load(hk.lds.alloc(hk.ST(hk.bf16, 16, 16)), a[hk.tile_coord()])

    refused(group, ValueError, "a group of 4 waves in a kernel of 1", "warps=4")

    @hk.kernel
    def dtype(a: hk.Tensor[hk.f32]):
        hk.group(1).load(hk.lds.alloc(hk.ST(hk.bf16, 16, 16)), a[hk.tile_coord()])

    refused(dtype, TypeError, "copies and does not convert")

    @hk.kernel
    def window(a: hk.Tensor[hk.f32]):
        hk.lds.alloc(hk.ST(hk.bf16, 64, 32)).sub(32, 32, 2, 0)

    refused(window, ValueError, "window row 2 of 2", line=".sub(")

    @hk.kernel
    def load(a: hk.Tensor[hk.f32]):
        hk.lds.alloc(hk.ST(hk.bf16, 64, 32)).load(T)

    refused(load, TypeError, "a tile of its own shape", ".sub(")


def test_functions_outside_of_a_kernel():
    with pytest.raises(TraceError, match="inside a kernel"):
        hk.zeros(T)
    with pytest.raises(TraceError, match="inside a kernel"):
        hk.arch.block_idx.x  # noqa: B018


def test_a_kernel_returns_nothing():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        return a[hk.tile_coord()].load(T)

    refused(k, TraceError, "returns a value")


def test_every_error_is_of_one_family():
    with pytest.raises(Error):
        hk.RT(hk.bf16, 0, 16)


def test_a_tile_that_fits_no_chip():
    with pytest.raises(TraceError, match="33554432 bytes .* at most 131072 bytes of registers"):
        hk.RT(hk.bf16, 16, 2**20)


@pytest.mark.parametrize("extent", [0, -16])
def test_extents_are_positive(extent):
    with pytest.raises(TraceError, match=f"is {extent}; an extent is positive"):
        hk.RT(hk.bf16, extent, 16)


def test_elements_of_a_tile_by_index():
    @hk.kernel
    def read(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()].load(T)[0]

    refused(read, TypeError, "no elements that a kernel can pick", "hk.where", line="load(T)[0]")

    @hk.kernel
    def write(a: hk.Tensor[hk.f32]):
        x = hk.zeros(T)
        x[0] = 1.0

    refused(write, TypeError, "cannot be changed in place", "hk.where", line="x[0] = 1.0")


def test_functions_of_python_on_values():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        math.exp(hk.zeros(T))

    refused(k, TypeError, "no Python float", "hk.math.exp(x)", line="math.exp")


def test_a_host_array_in_an_expression():
    host = np.zeros((512, 512), np.float32)

    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        a[hk.tile_coord()] = hk.zeros(T) + host

    raised = refused(k, TypeError, "a host array (ndarray, 512x512 of float32)", line="+ host")
    assert len(raised.message) < 300


def test_a_load_of_a_tensor_without_a_place():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        a.load(T)

    refused(k, AttributeError, "a view has it", "a[hk.tile_coord(...)].load(...)", line="a.load(T)")


def test_a_kernel_needs_a_name():
    with pytest.raises(TraceError, match="a lambda has no name .* def"):
        hk.kernel(lambda a: None)


def test_lds_over_the_chips_limit_ends_in_the_users_words():
    @hk.kernel
    def k(a: hk.Tensor[hk.f32]):
        tile = hk.lds.alloc(hk.ST(hk.f32, 256, 256))
        hk.group(1).load(tile, a[hk.tile_coord()])
        a[hk.tile_coord()] = tile.sub(16, 32, 0, 0).load(T)

    with pytest.raises(Error, match="262144") as caught:
        k.build("gfx1100")
    assert "current operation" not in caught.value.message
