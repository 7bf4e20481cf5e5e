"""Bare instruction streams: the unit test of an instruction is one line."""

import threading
import time

import ml_dtypes
import numpy as np
import pytest
from wavewright.errors import (
    CheckError,
    CompileError,
    LaunchError,
    LaunchTypeError,
    LaunchValueError,
    UsageError,
)

from wavewright import _core
from wavewright.emulator import assemble, run_asm, run_bytes, run_lanes

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]


@pytest.mark.parametrize("chip", CHIPS)
def test_one_line(chip):
    lanes = 64 if chip in ("gfx942", "gfx950") else 32
    ramp = np.arange(lanes, dtype=np.float32)
    r = run_asm(chip, "v_add_f32 v0, v1, v2", vgpr={1: 1.5, 2: ramp})
    assert (r.v(0, np.float32) == 1.5 + ramp).all() and r.lanes == lanes
    assert r.state == "ended" and r.statistics["lane_operations"] == r.lanes


def test_values_of_every_type():
    lanes = np.arange(32)
    r = run_asm(
        "gfx1100",
        "s_nop 0",
        vgpr={
            0: 7,
            1: -1,
            2: 1.5,
            3: np.float16(1.5),
            4: ml_dtypes.bfloat16(1.5),
            5: lanes.astype(np.float64),
            7: 1 << 40,
            9: lanes.astype(np.int8) - 5,
            10: [float(i) for i in lanes],
            11: list(range(32)),
            12: np.float32(2.5),
            13: lanes.astype(np.float32)[::-1],
            14: np.uint64(5),
        },
        sgpr={0: 3, 1: 0x1234567890, "ttmp9": 11, "m0": 4},
    )
    assert (r.vgpr[0] == 7).all() and (r.vgpr[1] == 0xFFFFFFFF).all()
    assert (r.v(2, "f4") == 1.5).all() and (r.vgpr[3] == 0x3E00).all()
    assert (r.vgpr[4] == 0x3FC0).all() and (r.v(4, ml_dtypes.bfloat16) == 1.5).all()
    assert (r.v(5, np.float64) == lanes).all()
    assert (r.v(7, np.int64) == 1 << 40).all()
    assert (r.v(9, np.int8) == lanes - 5).all() and r.vgpr[9][0] == 0xFB
    assert (r.v(10, "f4") == lanes).all() and (r.vgpr[11] == lanes).all()
    assert (r.v(12, "f4") == 2.5).all() and (r.v(13, "f4") == lanes[::-1]).all()
    assert (r.vgpr[14] == 5).all() and (r.vgpr[15] == 0).all()
    assert r.sgpr[0] == 3 and r.sgpr[1] == 0x34567890 and r.sgpr[2] == 0x12
    assert r.s(1, np.uint64) == 0x1234567890
    assert r.sgpr["ttmp9"] == 11 and r.m0 == 4


def test_masks_and_flags():
    r = run_asm(
        "gfx942", "v_cmp_eq_u32 vcc, v1, v2", vgpr={1: list(range(64)), 2: 40}, exec=1 << 40
    )
    assert r.vcc == 1 << 40 and r.exec == 1 << 40
    r = run_asm("gfx942", "s_addc_u32 s0, s1, s2\ns_cselect_b64 vcc, s[4:5], 0", scc=True, vcc=9)
    assert r.sgpr[0] == 1 and r.scc == 0 and r.vcc == 0
    assert run_asm("gfx942", "s_nop 0", exec=1).exec == 1
    assert run_asm("gfx1100", "s_nop 0").exec == 0xFFFFFFFF
    assert run_asm("gfx1100", "s_nop 0", wave_size=64).exec == (1 << 64) - 1
    assert run_asm("gfx1100", "s_nop 0", mode=0x1F0).mode == 0x1F0
    assert run_asm("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_MODE)").sgpr[0] & 0xFF == 0xF0


def test_shapes_of_waves_and_groups():
    own = np.arange(3 * 2).reshape(3, 2)
    text = "v_mov_b32 v0, s0\nv_add_nc_u32 v1, v0, v2"
    lane = np.arange(32, dtype=np.uint32)
    r = run_asm("gfx1100", text, groups=3, waves=2, sgpr={0: own.astype(np.uint32)}, vgpr={2: lane})
    assert r.vgpr[1].shape == (3, 2, 32) and (r.vgpr[1] == own[..., None] + lane).all()
    assert r.vgpr[0:3].shape == (3, 2, 3, 32) and r.sgpr[0].shape == (3, 2)
    assert r.exec.shape == r.scc.shape == r.state.shape == (3, 2)
    r = run_asm("gfx1100", text, groups=3, vgpr={2: np.arange(96, dtype=np.uint32).reshape(3, 32)})
    assert r.vgpr[1].shape == (3, 32) and (r.vgpr[1].ravel() == np.arange(96)).all()
    r = run_asm("gfx1100", text, waves=2, vgpr={2: np.array([[1], [2]], dtype=np.uint32)})
    assert (r.vgpr[1] == [[1], [2]]).all() and r.vgpr[1].shape == (2, 32)
    r = run_asm("gfx1100", "v_mov_b32 v1, v0", block=(5, 3, 3))
    assert r.vgpr[1].shape == (2, 32) and (r.exec == [0xFFFFFFFF, 0x1FFF]).all()
    assert r.vgpr[1][1, 12] == 44 % 5 | 44 // 5 % 3 << 10 | 2 << 20


def test_ranges_of_registers():
    matrix = np.arange(4 * 64, dtype=np.float32).reshape(4, 64)
    r = run_asm("gfx942", "v_mov_b32 v9, v6", vgpr={range(4, 8): matrix}, agpr={0: 1})
    assert (r.v(9, "f4") == matrix[2]).all() and (r.vgpr[4:8].view(np.float32) == matrix).all()
    wide = np.arange(2 * 64, dtype=np.float64).reshape(2, 64)
    r = run_asm("gfx942", "s_nop 0", vgpr={range(4, 8): wide})
    assert (r.v(6, "f8") == wide[1]).all() and len(r.agpr) == 0
    r = run_asm("gfx942", "s_nop 0", sgpr={range(4, 8): np.arange(4, dtype=np.uint32)})
    assert r.sgpr[4:8].tolist() == [0, 1, 2, 3]


def test_barriers_lds_and_scratch():
    text = """
        v_mov_b32 v2, s0
        ds_store_b32 v2, v1
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_mov_b32 v3, s1
        ds_load_b32 v4, v3
        s_waitcnt lgkmcnt(0)
        scratch_load_b32 v5, off, off offset:4
        scratch_store_b32 off, v4, off
    """
    waves = np.arange(8, dtype=np.uint32)
    private = np.arange(8 * 32 * 2, dtype=np.uint32).reshape(8, 32, 2)
    r = run_asm(
        "gfx1100", text, waves=8, vgpr={1: waves[:, None] + 100}, lds=64, scratch=private,
        sgpr={0: 4 * waves, 1: 4 * (waves ^ 1)},
    )  # fmt: skip
    assert (r.vgpr[4] == ((waves ^ 1) + 100)[:, None]).all()
    assert r.lds.shape == (64,) and (r.lds.view(np.uint32)[:8] == waves + 100).all()
    assert (r.vgpr[5] == private[..., 1]).all()
    assert r.scratch.shape == (8, 32, 2) and (r.scratch[..., 0] == r.vgpr[4]).all()
    content = np.arange(6, dtype=np.float32).reshape(3, 2)
    r = run_asm("gfx1100", "ds_load_b64 v[0:1], v2\ns_waitcnt lgkmcnt(0)", lds=content, groups=3)
    assert (r.v(0, "f4")[:, 0] == content[:, 0]).all() and r.lds.shape == (3, 8)


def test_memory_is_copied():
    array = np.arange(64, dtype=np.int16)
    r = run_asm(
        "gfx1201", "global_store_b16 v[0:1], v2, off", exec=1, vgpr={0: 0x70001000, 2: 99},
        memory={0x70001000: array, 0x5000: b"abcd"},
    )  # fmt: skip
    assert r.memory[0x70001000][0] == 99 and r.memory[0x70001000].dtype == np.int16
    assert array[0] == 0 and bytes(r.memory[0x5000]) == b"abcd"


def test_bytes_at_an_address():
    code = assemble("gfx942", "s_getpc_b64 s[0:1]\ns_mov_b32 s2, 7").code
    r = run_bytes("gfx942", code, 0x20000)
    assert r.s(0, np.uint64) == 0x20004 and r.sgpr[2] == 7
    r = run_bytes("gfx942", np.frombuffer(code, np.uint8), 0x20000, pc=0x20004)
    assert r.sgpr[0] == 0 and r.sgpr[2] == 7
    lines = assemble("gfx942", "s_nop 0\n\ns_nop 1", address=0x100).disassemble()
    assert lines[:2] == [(0x100, "s_nop 0", 1), (0x104, "s_nop 1", 3)]
    assert lines[2][:2] == (0x108, "s_endpgm")


def test_lanes_of_many_rows():
    a = np.arange(100_003, dtype=np.float32)
    r = run_lanes("gfx942", "v_add_f32 v0, v1, v2\nv_cmp_gt_f32 vcc, v0, v3", {1: a, 2: a, 3: 7.0})
    assert (r.v(0, np.float32) == a + a).all() and r.v(0).shape == a.shape
    assert (r.mask() == (a + a > 7)).all()
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    r = run_lanes("gfx1100", "v_cvt_f32_f16 v0, v1.l", {1: halves}, threads=2)
    expected = halves.astype(np.float32)
    assert np.array_equal(r.v(0, np.float32), expected, equal_nan=True)
    d = np.linspace(0.0, 9.0, 33)
    r = run_lanes("gfx1201", "v_add_f64 v[0:1], v[2:3], v[2:3]", {2: d})
    assert (r.v(0, np.float64) == d + d).all()


def test_the_result_outlives_its_parts():
    v = run_asm("gfx1100", "v_mov_b32 v0, 5").vgpr[0]
    assert (v == 5).all()


def test_faults_carry_the_state():
    text = "s_mov_b32 s5, 6\nglobal_load_b32 v0, v[2:3], off"
    with pytest.raises(CheckError, match="reads 4 bytes at 0x0 outside of live memory") as caught:
        run_asm("gfx1100", text)
    assert caught.value.place.file == "<asm>" and caught.value.place.line == 2
    assert caught.value.result.sgpr[5] == 6 and caught.value.result.state == "failed"
    r = run_asm("gfx1100", text, check=False)
    assert isinstance(r.fault, CheckError) and r.pc == r.program.address + 4
    with pytest.raises(LaunchError, match="budget of 1000"):
        run_asm("gfx1100", "loop: s_branch loop", budget=1000)
    with pytest.raises(LaunchError, match="never arrive"):
        run_asm("gfx1201", "s_barrier_signal -1\ns_barrier_wait -1\ns_barrier_wait -1", waves=2)


def test_assembler_errors():
    with pytest.raises(CompileError, match="column 15") as caught:
        run_asm("gfx1100", "s_nop 0\nv_mov_b32 v0, v256")
    assert caught.value.place == ("<asm>", 2, 15)
    with pytest.raises(CompileError, match="known only to a linker"):
        assemble("gfx1100", "s_add_u32 s0, s0, elsewhere@rel32@lo+4")
    with pytest.raises(CompileError, match="undefined label 'elsewhere'"):
        assemble("gfx1100", "s_branch elsewhere")
    with pytest.raises(UsageError, match="gfx1100"):
        assemble("gfx1101x", "s_nop 0")
    with pytest.raises(UsageError, match="not emulated"):
        assemble("gfx1250", "s_nop 0")
    with pytest.raises(UsageError, match="no waves of 32"):
        run_asm("gfx942", "s_nop 0", wave_size=32)


@pytest.mark.parametrize(
    "state, error, message",
    [
        ({"vgpr": {256: 1}}, LaunchError, "v256 was given a value"),
        ({"agpr": {0: 1}}, LaunchError, "a0 was given a value; there are none"),
        ({"vgpr": {0: "x"}}, LaunchTypeError, "numbers of 8 to 64 bits"),
        ({"vgpr": {0: 1 << 70}}, LaunchValueError, "more than 64 bits"),
        ({"vgpr": {0: [1 << 40]}}, LaunchValueError, "more than 32 bits"),
        ({"vgpr": {0: np.zeros(31, np.float32)}}, LaunchValueError, r"shape \(31,\).*\(32,\)"),
        ({"vgpr": {range(0, 3): np.zeros((2, 32), "f4")}}, LaunchValueError, "3 elements"),
        ({"sgpr": {"s0": 1}}, LaunchValueError, "no scalar register"),
        ({"sgpr": {0: np.zeros(2, np.uint32)}}, LaunchValueError, r"shape \(2,\)"),
        ({"exec": 1 << 32}, LaunchValueError, "32 lanes"),
        ({"exec": -1}, LaunchValueError, "unsigned"),
        ({"waves": 2, "block": (4,)}, LaunchValueError, "give one"),
        ({"block": (1, 2, 3, 4)}, LaunchValueError, "1 to 3 extents"),
        ({"waves": 0}, LaunchValueError, "waves=0"),
        ({"waves": 2000}, LaunchError, "2000 waves"),
        ({"groups": 2, "lds": np.zeros((3, 4))}, LaunchValueError, "2 groups"),
        ({"lds": 70000}, LaunchError, "70000 bytes of LDS"),
        ({"lds": np.zeros(4), "lds_bytes": 8}, LaunchError, "32 bytes of LDS content"),
        ({"scratch": np.zeros(4)}, LaunchValueError, "32-bit elements"),
        ({"memory": {4: np.zeros(2), 8: np.zeros(2)}}, LaunchError, "share addresses"),
        ({"memory": {4: np.array(["x"])}}, LaunchTypeError, "pass numbers"),
        ({"matrix": "quick"}, UsageError, 'choose "exact" or "fast"'),
        ({"checks": "no"}, UsageError, 'choose "on" or "off"'),
        ({"pc": 3}, LaunchError, "no instruction"),
    ],
)
def test_refusals(state, error, message):
    with pytest.raises(error, match=message):
        run_asm("gfx1100", "s_nop 0", **state)


def test_register_that_was_not_simulated():
    with pytest.raises(IndexError, match="v200: 8 registers were simulated"):
        _ = run_asm("gfx1100", "s_nop 0").vgpr[200]
    with pytest.raises(LaunchTypeError, match="16 bytes"):
        run_asm("gfx1100", "s_nop 0").v(0, np.complex128)


def test_rows_are_refused_by_shape():
    with pytest.raises(LaunchValueError, match="one length"):
        run_lanes("gfx1100", "s_nop 0", {0: np.zeros(3, "f4"), 1: np.zeros(4, "f4")})
    with pytest.raises(LaunchValueError, match="without elements"):
        run_lanes("gfx1100", "s_nop 0", {0: np.zeros(0, "f4")})


def test_calls_are_fast_and_threads_share_programs():
    a = np.arange(32, dtype=np.float32)

    def call():
        return run_asm("gfx1100", "v_add_f32 v0, v1, v2", vgpr={1: a, 2: 3.0}).v(0, np.float32)

    call()
    best = 1.0
    for _ in range(20):
        began = time.perf_counter()
        for _ in range(10):
            call()
        best = min(best, (time.perf_counter() - began) / 10)
    assert best < 1e-3, f"{best * 1e6:.0f} us a call"
    wrong = []
    threads = [
        threading.Thread(target=lambda: wrong.extend(1 for _ in range(50) if call()[1] != 4.0))
        for _ in range(4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_same_text_is_assembled_once():
    first = _core.RawProgram.assemble("gfx1100", "s_nop 3")
    assert first.code == _core.RawProgram.assemble("gfx1100", "s_nop 3", 32).code
