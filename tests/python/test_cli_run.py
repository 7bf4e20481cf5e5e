"""`wavewright run`: any code object, arguments from files and text, results back in the files."""

import json
import os
import signal
import subprocess
import time

import ml_dtypes
import numpy as np
import pytest
from hip_programs import AXPY, CHIPS, FOREVER, hip_object, tool, wavewright

# Stores every kind of number that the command line can spell.
NUMBERS = r"""
KERNEL numbers(u64 *o, signed char a, unsigned char b, short c, unsigned short d, int e,
               unsigned f, long g, u64 h, _Float16 i, float j, double k) {
  if (TID == 0) {
    o[0] = (u64)(long)a; o[1] = b; o[2] = (u64)(long)c; o[3] = d; o[4] = (u64)(long)e; o[5] = f;
    o[6] = (u64)g; o[7] = h; o[8] = __builtin_bit_cast(unsigned short, i);
    o[9] = __builtin_bit_cast(unsigned, j); o[10] = __builtin_bit_cast(u64, k);
  }
}
"""


def save(path, array):
    np.save(path, array)
    return path


@pytest.mark.parametrize("chip", CHIPS)
def test_results_come_back_in_the_files(chip, tmp_path):
    n = 1000
    rng = np.random.default_rng(0)
    a = rng.standard_normal(n).astype(np.float32)
    o = rng.standard_normal(n).astype(np.float32)
    a_path, o_path = save(tmp_path / "a.npy", a), save(tmp_path / "o.npy", o)
    before = a_path.read_bytes()
    out, _ = wavewright(
        *("run", hip_object(AXPY, chip), "--grid", "4,1,1", "--block", "256"),
        *("--arg", a_path, "--arg", o_path, "--arg", "2.5", "--arg", n),
    )
    # One fused multiply-add or a multiply and an add, as the compiler likes.
    reference = a.astype(np.float64) * 2.5 + o
    np.testing.assert_allclose(np.load(o_path), reference, rtol=0, atol=2e-6)
    assert a_path.read_bytes() == before
    assert f"wrote {o_path}" in out and f"wrote {a_path}" not in out
    assert f"emu:{chip}" in out


def test_statistics_are_json_with_json(tmp_path):
    a, o = (save(tmp_path / f"{name}.npy", np.ones(64, np.float32)) for name in "ao")
    out, _ = wavewright(
        *("run", hip_object(AXPY, "gfx942"), "--kernel", "axpy", "--block", "64", "--json"),
        *("--arg", a, "--arg", o, "--arg", "1.0", "--arg", "64", "--device", "emu:gfx942"),
    )
    statistics = json.loads(out)
    assert statistics["work_groups"] == statistics["waves"] == 1
    assert statistics["wave_instructions"] > 5
    # The fused multiply-add alone is 64 lane operations.
    assert statistics["lane_operations"] >= 64
    assert statistics["written"] == [str(o)]


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_numbers_take_the_kernels_size_and_prefixes_override(chip, tmp_path):
    o = save(tmp_path / "o.npy", np.zeros(11, np.uint64))
    values = "-5 250 -300 65000 -70000 4000000000 -5000000000 0xffffffffffffffff 1.5 -2.25 1e300"
    arguments = [x for value in values.split() for x in ("--arg", value)]
    wavewright("run", hip_object(NUMBERS, chip), "--block", "64", "--arg", o, *arguments)
    mask = (1 << 64) - 1
    expected = [-5 & mask, 250, -300 & mask, 65000, -70000 & mask, 4000000000, -5000000000 & mask]
    expected += [mask, int(np.float16(1.5).view(np.uint16)), int(np.float32(-2.25).view(np.uint32))]
    expected += [int(np.float64(1e300).view(np.uint64))]
    assert np.load(o).tolist() == expected

    bits = int(np.array(1.5, ml_dtypes.bfloat16).view(np.uint16))
    prefixed = "i8:-5 u8:250 i16:-300 u16:65000 i32:-70000 f32:1 i64:7 u64:8 bf16:1.5 f32:3 f64:4"
    arguments = [x for value in prefixed.split() for x in ("--arg", value)]
    wavewright("run", hip_object(NUMBERS, chip), "--block", "64", "--arg", o, *arguments)
    got = np.load(o)
    assert got[5] == np.float32(1).view(np.uint32) and got[8] == bits
    assert got[9] == np.float32(3).view(np.uint32) and got[10] == np.float64(4).view(np.uint64)


def test_one_file_named_twice_is_one_buffer(tmp_path):
    path = save(tmp_path / "x.npy", np.arange(64, dtype=np.float32))
    wavewright(
        *("run", hip_object(AXPY, "gfx1100"), "--block", "64"),
        *("--arg", path, "--arg", path, "--arg", "2.0", "--arg", "64"),
    )
    assert np.load(path).tolist() == [3.0 * i for i in range(64)]


def test_the_header_of_an_ml_dtypes_array_stays(tmp_path):
    source = "KERNEL fill(unsigned short *o) { o[TID] = 0x3f80; }"
    path = save(tmp_path / "o.npy", np.zeros((4, 16), ml_dtypes.bfloat16))
    header = path.read_bytes()[:-128]
    wavewright("run", hip_object(source, "gfx950"), "--block", "64", "--arg", path)
    content = path.read_bytes()
    assert content[:-128] == header
    assert np.frombuffer(content[-128:], ml_dtypes.bfloat16).tolist() == [1.0] * 64


def test_a_symbolic_link_stays_and_permissions_too(tmp_path):
    source = "KERNEL fill(int *o) { o[TID] = 7; }"
    path = save(tmp_path / "real.npy", np.zeros(64, np.int32))
    path.chmod(0o640)
    link = tmp_path / "link.npy"
    link.symlink_to(path)
    wavewright("run", hip_object(source, "gfx1201"), "--block", "64", "--arg", link)
    assert link.is_symlink() and path.stat().st_mode & 0o777 == 0o640
    assert np.load(path).tolist() == [7] * 64
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.npy", "real.npy"]


def test_extents_are_work_groups_and_work_items(tmp_path):
    source = r"""KERNEL where(int *o) {
      int g = __builtin_amdgcn_workgroup_id_x() + 3 * __builtin_amdgcn_workgroup_id_y();
      int l = TID + 8 * __builtin_amdgcn_workitem_id_y();
      o[g * 32 + l] = g * 100 + l;
    }"""
    path = save(tmp_path / "o.npy", np.full(6 * 32, -1, np.int32))
    wavewright(
        *("run", hip_object(source, "gfx942"), "--grid", "3,2", "--block", "8,4", "--arg", path)
    )
    assert np.load(path).tolist() == [g * 100 + n for g in range(6) for n in range(32)]


def test_results_do_not_depend_on_threads(tmp_path):
    a = np.random.default_rng(1).standard_normal(4096).astype(np.float32)
    results = []
    for threads in (1, 2, 5):
        a_path, o_path = save(tmp_path / "a.npy", a), save(tmp_path / "o.npy", a[::-1].copy())
        wavewright(
            *("run", hip_object(AXPY, "gfx950"), "--grid", "16", "--block", "256"),
            *("--arg", a_path, "--arg", o_path, "--arg", "0.5", "--arg", "4096"),
            *("--threads", threads),
        )
        results.append(o_path.read_bytes())
    assert results[0] == results[1] == results[2]


def test_an_access_outside_is_status_3_and_1_without_checks(tmp_path):
    a, o = (save(tmp_path / f"{name}.npy", np.ones(64, np.float32)) for name in "ao")
    command = ["run", hip_object(AXPY, "gfx942"), "--grid", "2", "--block", "64"]
    command += ["--arg", a, "--arg", o, "--arg", "1.0", "--arg", "128"]
    before = o.read_bytes()
    _, err = wavewright(*command, status=3)
    assert "axpy" in err and ".hip:" in err and "lane" in err
    assert o.read_bytes() == before
    _, err = wavewright(*command, "--checks", "off", status=1)
    assert err.startswith("error: ") and "axpy" in err


def test_the_budget_ends_a_loop(tmp_path):
    path = save(tmp_path / "p.npy", np.zeros(1, np.int32))
    _, err = wavewright(
        *("run", hip_object(FOREVER, "gfx1100"), "--arg", path, "--budget", "10000"), status=1
    )
    assert "10000" in err and "forever" in err


@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
def test_an_interrupt_ends_a_launch_within_a_fifth_of_a_second(chip, tmp_path):
    path = save(tmp_path / "p.npy", np.zeros(1, np.int32))
    process = subprocess.Popen(
        [tool(), "run", hip_object(FOREVER, chip), "--arg", path, "--grid", "64"],
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(1.0)
    assert process.poll() is None
    begin = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=10)
    assert time.monotonic() - begin < 0.2
    assert process.returncode == 1 and "interrupt" in err
