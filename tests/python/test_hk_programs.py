"""The programs of hk_programs.py on every chip, against numpy in float64, within the bounds of
their arithmetic; and that a kernel which is wrong by one term is found out."""

import hk_programs as programs
import ml_dtypes
import numpy as np
import pytest
from wavewright.errors import TraceError
from wavewright.testing import U

from wavewright import testing

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]
bf16 = ml_dtypes.bfloat16


@pytest.fixture(params=CHIPS)
def device(request):
    return f"emu:{request.param}"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def normal(rng, *shape, dtype=bf16):
    return rng.standard_normal(shape).astype(dtype)


def wide(array):
    return array.astype(np.float64)


def good(result, reference, bound):
    comparison = testing.compare(result, reference, bound)
    assert comparison.ok, str(comparison)


@pytest.mark.parametrize("shape", [(16, 64), (33, 77), (1, 1)])
def test_scale_clip(device, rng, shape):
    x, o = normal(rng, *shape), np.zeros(shape, np.float16)
    alpha, limit = 0.75, 1.25
    programs.scale_clip(x, o, alpha, limit, device=device)
    reference = programs.scale_clip_reference(np, x, alpha, limit)
    good(o, reference, testing.relative_bound(reference, 1, np.float16))


@pytest.mark.parametrize("shape", [(16, 128), (33, 200), (5, 63)])
def test_softmax(device, rng, shape):
    x, o = normal(rng, *shape), np.zeros(shape, bf16)
    programs.softmax(x, o, device=device)
    reference = programs.softmax_reference(np, x)
    good(o, reference, testing.softmax_bound(x, reference, bf16))


@pytest.mark.parametrize("shape", [(16, 512), (20, 300), (3, 65)])
def test_rmsnorm(device, rng, shape):
    x, w, o = normal(rng, *shape), normal(rng, shape[1]), np.zeros(shape, bf16)
    eps = float(np.float32(1e-5))
    programs.rmsnorm(x, w, o, eps, device=device)
    reference = programs.rmsnorm_reference(np, x, w, eps)
    good(o, reference, testing.rmsnorm_bound(x, reference, bf16))


@pytest.mark.parametrize("m, n, k", [(128, 128, 64), (77, 131, 45), (130, 20, 33), (1, 1, 1)])
def test_gemm(device, rng, m, n, k):
    a, b, c = normal(rng, m, k), normal(rng, n, k), np.zeros((m, n), np.float32)
    programs.gemm(a, b, c, device=device)
    reference = programs.gemm_reference(np, a, b)
    good(c, reference, testing.dot_bound(wide(a), wide(b).T, np.float32))


def test_gemm_of_batches_and_blocks(device, rng):
    a, b = normal(rng, 3, 1, 40, 70), normal(rng, 3, 1, 50, 70)
    c = np.zeros((3, 1, 40, 50), np.float32)
    programs.gemm(a, b, c, BM=64, BN=32, BK=64, device=device)
    reference = programs.gemm_reference(np, a, b)
    good(c, reference, testing.dot_bound(wide(a), np.swapaxes(wide(b), -1, -2), np.float32))


@pytest.mark.parametrize("act", [True, False])
def test_gemm_bias_act(device, rng, act):
    m, n, k = 100, 72, 50
    a, b, bias = normal(rng, m, k), normal(rng, n, k), normal(rng, n)
    c = np.zeros((m, n), bf16)
    programs.gemm_bias_act(a, b, bias, c, ACT=act, device=device)
    reference = programs.gemm_bias_act_reference(np, a, b, bias, act)
    v = wide(a) @ wide(b).T + wide(bias)
    error = testing.dot_bound(wide(a), wide(b).T, np.float32) + U * np.abs(v)
    if act:  # gelu's slope is below 1.13; tanh and five products round in f32
        error = 1.2 * error + 8 * U * np.abs(v)
    good(c, reference, error + testing.half_ulp(reference, bf16))


# gfx1100 and gfx1151 stand in tests/known/test_attention_gfx11.py.
@pytest.mark.parametrize("device", ["gfx942", "gfx950", "gfx1201"], indirect=True)
@pytest.mark.parametrize("causal", [0, 1])
@pytest.mark.parametrize("n, m", [(32, 64), (21, 45), (45, 21)])
def test_attention(device, rng, causal, n, m):
    d = 128
    q, k, v = normal(rng, 2, 4, n, d), normal(rng, 2, 2, m, d), normal(rng, 2, 2, m, d)
    o = np.zeros((2, 4, n, d), bf16)
    scale = 0.125
    # gfx11's operands stand twice in a wave: with BK=32 they do not fit (tests/known).
    block = {"BK": 16} if "gfx11" in device else {}
    programs.attention(q, k, v, o, scale, causal, device=device, **block)
    reference = programs.attention_reference(np, q, k, v, scale, causal)
    # The weights round to bf16 (2^-8) and take the error of the scores they come from; both
    # weigh |v| like the result weighs v.
    kk = np.repeat(wide(k), 2, 1)
    scores = testing.dot_bound(wide(q), np.swapaxes(kk, -1, -2), np.float32) * scale
    size = programs.attention_reference(np, q, k, np.abs(wide(v)), scale, causal)
    error = size * (2.0**-8 + 2 * scores.max() + (m + 16) * 4 * U)
    good(o, reference, error + testing.half_ulp(reference, bf16))


@pytest.mark.parametrize("shape", [(16, 64), (20, 100)])
def test_quantize_rows(device, rng, shape):
    x, q, scales = normal(rng, *shape), np.zeros(shape, np.int8), np.zeros(shape[0], np.float32)
    programs.quantize_rows(x, q, scales, device=device)
    reference, step = programs.quantize_rows_reference(np, x)
    good(scales, step, 3 * U * step)
    near = np.abs(wide(x) / wide(step)[:, None] - np.floor(wide(x) / wide(step)[:, None]) - 0.5)
    assert np.abs(q.astype(int) - reference.astype(int)).max() <= 1
    assert (q == reference)[near > 1e-4].all()


def test_column_sums_needs_an_atomic_that_is_not_there():
    with pytest.raises(TraceError, match="atomic_add"):
        programs.column_sums.trace("gfx950")


def test_a_gemm_that_drops_one_k_fails_its_bound(device, rng):
    m, n, k = 32, 32, 64
    a, b, c = normal(rng, m, k), normal(rng, n, k), np.zeros((m, n), np.float32)
    programs.gemm(a[:, :-1], b[:, :-1], c, device=device)
    wrong = testing.compare(
        c, wide(a) @ wide(b).T, testing.dot_bound(wide(a), wide(b).T, np.float32)
    )
    assert not wrong.ok
    right = testing.dot_bound(wide(a)[:, :-1], wide(b)[:, :-1].T, np.float32)
    good(c, wide(a)[:, :-1] @ wide(b)[:, :-1].T, right)
