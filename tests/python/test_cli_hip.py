"""The road to a GPU, held against a stand-in for HIP's library: what is called, with what, and what
is refused. The stand-in's "kernel" reads the kernarg segment and does axpy's arithmetic itself."""

import functools
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hip_programs import AXPY, hip_object, wavewright

STAND_IN = r"""
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
static int refuses(const char *name) {
  const char *f = getenv("STAND_IN_FAILS");
  return f && !strcmp(f, name) ? 719 : 0;
}
int hipInit(unsigned flags) { return refuses("hipInit"); }
int hipGetDeviceCount(int *count) { *count = 1; return refuses("hipGetDeviceCount"); }
int hipSetDevice(int device) { return device ? 101 : 0; }
int hipGetDevicePropertiesR0600(char *p, int device) {
  memset(p, 0, 1400); strcpy(p, "AMD gfx Test Card");
  strcpy(p + 1160, getenv("STAND_IN_CHIP")); return 0;
}
const char *hipGetErrorString(int e) {
  return e == 719 ? "unspecified launch failure" : "invalid device";
}
int hipModuleLoadData(void **m, const void *image) {
  *m = malloc(1); return memcmp(image, "\x7f" "ELF", 4) ? 209 : refuses("hipModuleLoadData");
}
int hipModuleUnload(void *m) { free(m); return 0; }
int hipModuleGetFunction(void **f, void *m, const char *name) {
  *f = m;
  return strcmp(name, "axpy") ? 500 : 0;
}
int hipModuleGetGlobal(void **p, size_t *n, void *m, const char *name) { return 500; }
int hipMalloc(void **p, size_t n) { *p = malloc(n); return 0; }
int hipFree(void *p) { free(p); return 0; }
int hipMemset(void *p, int v, size_t n) { memset(p, v, n); return 0; }
int hipMemcpy(void *d, const void *s, size_t n, int kind) {
  if (kind != 1 && kind != 2) return 1;
  memcpy(d, s, n); return refuses("hipMemcpy");
}
int hipDeviceSynchronize(void) { return refuses("hipDeviceSynchronize"); }
struct Arguments { const float *a; float *o; float s; int n; };
int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned lds, void *stream, void **params, void **extra) {
  if (params || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3) return 1;
  struct Arguments *k = extra[1];
  if (*(size_t *)extra[3] != sizeof *k || gy * gz * by * bz != 1 || lds) return 1;
  for (unsigned i = 0; i < gx * bx && (int)i < k->n; ++i) k->o[i] = k->a[i] * k->s + k->o[i];
  return refuses("hipModuleLaunchKernel");
}
"""


@functools.cache
def stand_in():
    folder = Path(tempfile.mkdtemp(prefix="wavewright-hip-library-"))
    (folder / "hip.c").write_text(STAND_IN)
    subprocess.run(
        ["clang-22", "-shared", "-fPIC", "-w", "-o", folder / "libamdhip64.so", folder / "hip.c"],
        check=True,
    )
    return folder


def run(tmp_path, *arguments, device="hip:0", chip="gfx942:sramecc+:xnack-", fails="", status=0):
    a = np.arange(100, dtype=np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "o.npy", np.ones(100, np.float32))
    command = ["run", hip_object(AXPY, "gfx942"), "--grid", "2", "--block", "64"]
    command += ["--arg", tmp_path / "a.npy", "--arg", tmp_path / "o.npy"]
    command += ["--arg", "3.0", "--arg", "100", "--device", device, *arguments]
    env = {"LD_LIBRARY_PATH": str(stand_in()), "STAND_IN_CHIP": chip, "STAND_IN_FAILS": fails}
    return wavewright(*command, status=status, env=env), np.load(tmp_path / "o.npy")


def test_a_launch_packs_arguments_and_moves_arrays(tmp_path):
    (out, _), o = run(tmp_path)
    assert o.tolist() == [3.0 * i + 1 for i in range(100)]
    assert "axpy on hip:0" in out


@pytest.mark.parametrize(
    "option", [("checks", "off"), ("matrix", "fast"), ("seed", 1), ("budget", 5), ("threads", 2)]
)
def test_options_of_the_emulator_are_refused_by_name(option, tmp_path):
    (_, err), o = run(tmp_path, f"--{option[0]}", option[1], status=2)
    assert f'"{option[0]}"' in err and "emulator" in err and "emu:gfx942" in err
    assert o.tolist() == [1.0] * 100


def test_an_object_for_another_chip_is_refused(tmp_path):
    (_, err), _ = run(tmp_path, chip="gfx1100", status=2)
    assert "gfx942" in err and "gfx1100" in err


@pytest.mark.parametrize("chip, words", [("gfx90c", "gfx90c"), ("", "which chip")])
def test_a_gpu_of_an_unknown_chip_is_refused(chip, words, tmp_path):
    (_, err), _ = run(tmp_path, chip=chip, status=2)
    assert words in err


@pytest.mark.parametrize(
    "function, status",
    [
        ("hipInit", 2),
        ("hipGetDeviceCount", 2),
        ("hipModuleLoadData", 2),
        ("hipMemcpy", 1),
        ("hipModuleLaunchKernel", 1),
        ("hipDeviceSynchronize", 1),
    ],
)
def test_an_error_of_hip_is_told_in_its_words(function, status, tmp_path):
    (_, err), o = run(tmp_path, fails=function, status=status)
    assert err.startswith("error: ") and "unspecified launch failure" in err
    assert o.tolist() == [1.0] * 100


def test_a_gpu_that_is_not_there(tmp_path):
    (_, err), _ = run(tmp_path, device="hip:3", status=2)
    assert "1 GPU" in err and "hip:0" in err


def test_doctor_finds_the_library():
    env = {"LD_LIBRARY_PATH": str(stand_in()), "STAND_IN_CHIP": "gfx942"}
    out, _ = wavewright("doctor", env=env)
    assert str(stand_in()) in out and "1 GPU" in out
