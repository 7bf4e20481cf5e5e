"""Programs as an hk user writes them, each with what it must compute (numpy in float64).

Every program runs unchanged on every chip and on arrays of any size; test_hk_programs.py holds them
to the bounds of their arithmetic.
"""

# ruff: noqa: E741
import math

import hk


# 1. A run-time scalar, masks, a ragged edge, three dtypes in one kernel.
@hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16)))
def scale_clip(x: hk.Tensor[hk.bf16], o: hk.Tensor[hk.fp16], alpha: hk.f32, limit: hk.f32):
    idx = hk.tile_coord(0, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
    v = x[idx].load(hk.RT(hk.f32, 16, 64)) * alpha  # the load converts
    o[idx] = hk.where(hk.math.abs(v) > limit, hk.math.copysign(limit, v), v).to(hk.fp16)


def scale_clip_reference(np, x, alpha, limit):
    v = x.astype(np.float64) * alpha
    return np.where(np.abs(v) > limit, np.copysign(limit, v), v)


# 2. Softmax of long rows: a loop that carries two vectors, then a second pass.
@hk.kernel(grid=lambda p: (1, hk.cdiv(p.x.rows, 16)))
def softmax(x: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16]):
    y = hk.arch.block_idx.y
    t = hk.RT(hk.f32, 16, 64)
    n = hk.cdiv(x.cols, 64)
    m = hk.full(t.col_vec, -3.0e38)  # finite: a chunk of -inf must not give inf - inf
    s = hk.zeros(t.col_vec)
    for j in hk.range(n):
        v = x[hk.tile_coord(0, 0, y, j)].load(t)
        v = hk.where(j * 64 + hk.iota_col(v) < x.cols, v, -math.inf)
        new = hk.maximum(m, hk.row_max(v))
        s = s * hk.math.exp(m - new) + hk.row_sum(hk.math.exp(v - new))
        m = new
    for j in hk.range(n):
        v = x[hk.tile_coord(0, 0, y, j)].load(t)
        o[hk.tile_coord(0, 0, y, j)] = (hk.math.exp(v - m) / s).to(hk.bf16)


def softmax_reference(np, x):
    v = x.astype(np.float64)
    e = np.exp(v - v.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


# 3. A device function, a weight vector, several waves sharing one row through a collective.
@hk.func
def square(x):
    return x * x


@hk.kernel(grid=lambda p: (1, hk.cdiv(p.x.rows, 16)), warps=4)
def rmsnorm(x: hk.Tensor[hk.bf16], w: hk.Tensor[hk.bf16], o: hk.Tensor[hk.bf16], eps: hk.f32):
    y, wave = hk.arch.block_idx.y, hk.arch.warp_id
    t = hk.RT(hk.f32, 16, 64)
    s = hk.zeros(t.col_vec)
    for j in hk.range(wave, hk.cdiv(x.cols, 64), 4):
        s = s + hk.row_sum(square(x[hk.tile_coord(0, 0, y, j)].load(t)))
    s = hk.collective.sum(s, warps=4)
    r = hk.math.rsqrt(s / x.cols + eps)
    for j in hk.range(wave, hk.cdiv(x.cols, 64), 4):
        v = x[hk.tile_coord(0, 0, y, j)].load(t) * r
        o[hk.tile_coord(0, 0, y, j)] = (v * w[hk.elem_coord(0, 0, 0, j * 64)].load(t.row_vec)).to(
            hk.bf16
        )


def rmsnorm_reference(np, x, w, eps):
    v = x.astype(np.float64)
    return v / np.sqrt((v * v).mean(-1, keepdims=True) + eps) * w.astype(np.float64)


# 4. GEMM by hand: shared tiles, four waves in a 2 by 2 grid, barriers. a is (batch, 1, m, k),
#    b (batch, 1, n, k), c (batch, 1, m, n); plain matrices are the batch of one.
@hk.kernel(grid=lambda p: (hk.cdiv(p.c.cols, p.BN), hk.cdiv(p.c.rows, p.BM), p.c.batch), warps=4)
def gemm(
    a: hk.Tensor[hk.bf16], b: hk.Tensor[hk.bf16], c: hk.Tensor[hk.f32], *, BM=128, BN=128, BK=32
):
    x, y, z = hk.arch.block_idx.x, hk.arch.block_idx.y, hk.arch.block_idx.z
    wm, wn = hk.arch.warp_id // 2, hk.arch.warp_id % 2
    sa, sb = hk.lds.alloc(hk.ST(hk.bf16, BM, BK)), hk.lds.alloc(hk.ST(hk.bf16, BN, BK))
    acc = hk.zeros(hk.RT(hk.f32, BM // 2, BN // 2))
    for k in hk.range(hk.cdiv(a.cols, BK)):
        hk.group(4).load(sa, a[hk.tile_coord(z, 0, y, k)])
        hk.group(4).load(sb, b[hk.tile_coord(z, 0, x, k)])
        hk.arch.barrier()
        ra = sa.sub(BM // 2, BK, wm, 0).load(hk.RT(hk.bf16, BM // 2, BK))
        rb = sb.sub(BN // 2, BK, wn, 0).load(hk.RT(hk.bf16, BN // 2, BK))
        acc = hk.mma_ABt(ra, rb, acc)  # acc += ra @ rb.T is the same
        hk.arch.barrier()
    c[hk.tile_coord(z, 0, y * 2 + wm, x * 2 + wn)] = acc


def gemm_reference(np, a, b):
    return a.astype(np.float64) @ np.swapaxes(b.astype(np.float64), -1, -2)


# 5. The same with the compiler's pipeline, and an epilogue chosen at trace time.
@hk.func
def gelu(v):
    return 0.5 * v * (1.0 + hk.math.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))


@hk.kernel(grid=lambda p: (hk.cdiv(p.c.cols, p.BN), hk.cdiv(p.c.rows, p.BM)), warps=4)
def gemm_bias_act(
    a: hk.Tensor[hk.bf16],
    b: hk.Tensor[hk.bf16],
    bias: hk.Tensor[hk.bf16],
    c: hk.Tensor[hk.bf16],
    *,
    BM=128,
    BN=128,
    BK=32,
    STAGES=2,
    ACT=True,
):
    x, y = hk.arch.block_idx.x, hk.arch.block_idx.y
    wm, wn = hk.arch.warp_id // 2, hk.arch.warp_id % 2
    acc = hk.zeros(hk.RT(hk.f32, BM // 2, BN // 2))
    loads = lambda k: (a[hk.tile_coord(0, 0, y, k)], b[hk.tile_coord(0, 0, x, k)])  # noqa: E731
    tiles = (hk.ST(hk.bf16, BM, BK), hk.ST(hk.bf16, BN, BK))
    for sa, sb in hk.lds.pipeline(hk.cdiv(a.cols, BK), loads, tiles, stages=STAGES):
        acc = hk.mma_ABt(sa.sub(BM // 2, BK, wm, 0).load(), sb.sub(BN // 2, BK, wn, 0).load(), acc)
    acc = acc + bias[hk.elem_coord(0, 0, 0, x * BN + wn * (BN // 2))].load(
        hk.RT(hk.f32, BM // 2, BN // 2).row_vec
    )
    if ACT:  # a Python condition: decided while tracing
        acc = gelu(acc)
    c[hk.tile_coord(0, 0, y * 2 + wm, x * 2 + wn)] = acc.to(hk.bf16)


def gemm_bias_act_reference(np, a, b, bias, ACT=True):
    v = a.astype(np.float64) @ b.astype(np.float64).T + bias.astype(np.float64)
    return 0.5 * v * (1 + np.tanh(0.7978845608 * (v + 0.044715 * v**3))) if ACT else v


# 6. Attention forward: online softmax, grouped heads, a causal mask, a uniform branch with
#    values that merge. q (batch, heads, n, d), k and v (batch, kv heads, m, d), o like q; causal
#    is aligned bottom right.
@hk.kernel(grid=lambda p: (hk.cdiv(p.q.rows, p.BQ), p.q.depth, p.q.batch), warps=1)
def attention(
    q: hk.Tensor[hk.bf16],
    k: hk.Tensor[hk.bf16],
    v: hk.Tensor[hk.bf16],
    o: hk.Tensor[hk.bf16],
    scale: hk.f32,
    causal: hk.i32,
    *,
    D=128,
    BQ=16,
    BK=32,
):
    i, h, z = hk.arch.block_idx.x, hk.arch.block_idx.y, hk.arch.block_idx.z
    g = h // (q.depth // k.depth)
    tq = q[hk.tile_coord(z, h, i, 0)].load(hk.RT(hk.bf16, BQ, D))
    acc = hk.zeros(hk.RT(hk.f32, BQ, D))
    m = hk.full(acc.col_vec, -1e30)
    l = hk.zeros(acc.col_vec)
    shift = k.rows - q.rows
    last = hk.cdiv(k.rows, BK)
    if causal != 0:  # a run-time, uniform condition
        last = hk.minimum(last, hk.cdiv((i + 1) * BQ + shift, BK))
    for j in hk.range(last):
        s = (
            hk.mma_ABt(
                tq,
                k[hk.tile_coord(z, g, j, 0)].load(hk.RT(hk.bf16, BK, D)),
                hk.zeros(hk.RT(hk.f32, BQ, BK)),
            )
            * scale
        )
        col = j * BK + hk.iota_col(s)
        ok = col < k.rows
        if causal != 0:
            ok = ok & (col <= i * BQ + hk.iota_row(s) + shift)
        s = hk.where(ok, s, -1e30)
        new = hk.maximum(m, hk.row_max(s))
        p = hk.where(ok, hk.math.exp(s - new), 0.0)
        c = hk.math.exp(m - new)
        l = l * c + hk.row_sum(p)
        acc = hk.mma_AB(
            p.to(hk.bf16), v[hk.tile_coord(z, g, j, 0)].load(hk.RT(hk.bf16, BK, D)), acc * c
        )
        m = new
    o[hk.tile_coord(z, h, i, 0)] = hk.where(l > 0, acc / l, 0.0).to(hk.bf16)


def attention_reference(np, q, k, v, scale, causal):
    q, k, v = (t.astype(np.float64) for t in (q, k, v))
    r = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, r, 1), np.repeat(v, r, 1)
    s = q @ np.swapaxes(k, -1, -2) * scale
    n, m = s.shape[-2:]
    ok = (
        np.ones((n, m), bool)
        if not causal
        else np.arange(m)[None] <= np.arange(n)[:, None] + (m - n)
    )
    s = np.where(ok, s, -np.inf)
    top = s.max(-1, keepdims=True)
    p = np.where(ok, np.exp(s - np.where(np.isfinite(top), top, 0)), 0)
    l = p.sum(-1, keepdims=True)
    return np.where(l > 0, p @ v / np.where(l > 0, l, 1), 0)


# 7. Row quantisation: a reduction, an integer result, a vector stored.
@hk.kernel(grid=lambda p: (1, hk.cdiv(p.x.rows, 16)))
def quantize_rows(x: hk.Tensor[hk.bf16], q: hk.Tensor[hk.i8], scales: hk.Tensor[hk.f32]):
    y = hk.arch.block_idx.y
    t = hk.RT(hk.f32, 16, 64)
    top = hk.zeros(t.col_vec)
    for j in hk.range(hk.cdiv(x.cols, 64)):
        top = hk.maximum(top, hk.row_max(hk.math.abs(x[hk.tile_coord(0, 0, y, j)].load(t))))
    step = hk.maximum(top / 127.0, 1e-12)
    for j in hk.range(hk.cdiv(x.cols, 64)):
        q[hk.tile_coord(0, 0, y, j)] = hk.math.rint(x[hk.tile_coord(0, 0, y, j)].load(t) / step).to(
            hk.i8
        )
    scales[hk.elem_coord(0, 0, 0, y * 16)] = step  # scales is (rows,), one value a row


def quantize_rows_reference(np, x):
    v = x.astype(np.float32)
    step = np.maximum(np.abs(v).max(-1) / np.float32(127), np.float32(1e-12))
    return np.rint(v / step[:, None]).astype(
        np.int8
    ), step  # q may differ by 1 where v / step is near a half


# 8. Column sums of any matrix with float atomics; on the emulator the same bits for any number of
#    threads, given the seed.
@hk.kernel(grid=lambda p: (hk.cdiv(p.x.cols, 64), hk.cdiv(p.x.rows, 128)))
def column_sums(x: hk.Tensor[hk.bf16], o: hk.Tensor[hk.f32]):
    t = hk.RT(hk.f32, 16, 64)
    s = hk.zeros(t.row_vec)
    for r in range(8):  # unrolled
        s = s + hk.col_sum(
            x[hk.tile_coord(0, 0, hk.arch.block_idx.y * 8 + r, hk.arch.block_idx.x)].load(t)
        )
    o[hk.elem_coord(0, 0, 0, hk.arch.block_idx.x * 64)].atomic_add(s)


def column_sums_reference(np, x):
    return x.astype(np.float64).sum(0)
