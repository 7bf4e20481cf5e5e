"""Real HIP programs, unchanged by the device under them: each checks itself against the host."""

from __future__ import annotations

import re
import subprocess

import pytest
from hip_programs import CHIPS, wavewright

SELF_CHECKING = [
    "reduction",
    "scan",
    "histogram",
    "radix_sort",
    "stencil",
    "nbody",
    "fft",
    "transpose",
    "gemm",
    "philox",
    "persistent",
    "graphs",
    "memory",
    "streams",
    "wave",
    "types",
]


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("program", SELF_CHECKING)
def test_program_checks_itself(programs, program, chip):
    out, _ = programs.run(program, chip=chip)
    assert out.rstrip().endswith(f"{program}: passed")


# Float atomics, look-back, a persistent kernel: the order of the groups could show in their bits.
@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("program", ["reduction", "scan", "persistent"])
def test_bits_do_not_depend_on_threads(programs, program, chip):
    digests = set()
    for threads in (1, 2, 8):
        out, _ = programs.run(program, chip=chip, env={"WAVEWRIGHT_THREADS": str(threads)})
        digests.add(tuple(re.findall(r"digest ([0-9a-f]{16})", out)))
    assert len(digests) == 1 and all(digests)


# The bounds stand in the program, function by function; docs/hip.md repeats them.
@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
@pytest.mark.parametrize("program", ["math"])
def test_math_stays_within_its_bounds(programs, program, chip):
    out, _ = programs.run(program, 300, chip=chip)
    assert out.rstrip().endswith("math: passed") and out.count(": ok") == 80


@pytest.mark.long
@pytest.mark.parametrize("chip", CHIPS)
def test_math_with_many_arguments(programs, chip):
    out, _ = programs.run("math", 200_000, chip=chip, timeout=1200)
    assert out.rstrip().endswith("math: passed")


PRINTED = """\
before
group 0 of 2
pi is  3.14 and -42   | +7 ff FF 10 z %
-5000000000 18446744073709551615 44 4464 1.234568e+04 1e-10 0x1p+0
    42|2.72|fixed|
no arguments
group 1 of 2
lane 3
lane 19
lane 35
lane 51
after
"""


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("program", ["printf"])
def test_kernels_print_in_order(programs, program, chip):
    for threads in ("1", "8"):
        assert programs.run(program, chip=chip, env={"WAVEWRIGHT_THREADS": threads}) == (
            PRINTED,
            "",
        )


def test_a_full_printf_buffer_loses_lines_and_says_so_to_the_kernel(programs):
    # Records of 12 bytes in a buffer of 64: five fit.
    assert programs.run("printf", "full")[0] == "0123456789\n" * 5 + "27 lost\n"


def test_a_failed_assertion_names_its_place(programs):
    out, err = programs.run("printf", "assert", chip="gfx1100")
    assert out == "hipErrorAssert, then hipErrorAssert\n"
    assert re.search(
        r"printf\.hip:\d+: .*claim.*: Device-side assertion `x < 3 && \"x is small\"'", err
    )


def test_emulated_time_is_the_same_in_every_run(programs):
    times = {
        re.search(
            r"spin takes (\S+) ms", programs.run("streams", env={"WAVEWRIGHT_THREADS": t})[0]
        )[1]
        for t in ("1", "2", "8")
    }
    assert len(times) == 1


@pytest.fixture(scope="module")
def scale(programs, tmp_path_factory):
    """The code object of scale.hip: for one chip, for two, and compressed."""
    folder = tmp_path_factory.mktemp("scale")

    def compile(*chips, flags=()):
        output = folder / f"{'-'.join(chips)}{len(flags)}.hsaco"
        archs = [f"--offload-arch={chip}" for chip in chips]
        source = programs.source("scale")
        wavewright("hipcc", "--genco", "-std=c++14", "-g", *archs, *flags, source, "-o", output)
        return output

    return compile


@pytest.mark.parametrize("program", ["modules"])
def test_modules_from_code_objects_and_bundles(programs, program, scale):
    one = scale("gfx950")
    assert one.read_bytes()[:4] == b"\x7fELF"
    both = scale("gfx950", "gfx1100")
    assert both.read_bytes().startswith(b"__CLANG_OFFLOAD_BUNDLE__")
    small = scale("gfx950", "gfx1100", flags=["--offload-compress"])
    assert small.read_bytes()[:4] == b"CCOB"
    for path, chip in ((one, "gfx950"), (both, "gfx1100"), (both, "gfx950"), (small, "gfx1100")):
        assert "modules: passed" in programs.run(program, path, chip=chip)[0]


FACTS = {
    "gfx942": ("AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 64, 304, "9.4"),
    "gfx950": ("AMD Instinct MI355X", "gfx950:sramecc+:xnack-", 64, 256, "9.5"),
    "gfx1100": ("AMD Radeon RX 7900 XTX", "gfx1100", 32, 48, "11.0"),
    "gfx1151": ("AMD Radeon 8060S", "gfx1151", 32, 20, "11.5"),
    "gfx1201": ("AMD Radeon RX 9070 XT", "gfx1201", 32, 32, "12.0"),
}


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("program", ["query"])
def test_the_device_says_what_it_is(programs, program, chip):
    out, _ = programs.run(program, chip=chip)
    name, arch, wave, units, capability = FACTS[chip]
    for line in (f"name {name}", f"arch {arch}", f"wave {wave}", f"units {units}"):
        assert line in out.splitlines()
    assert f"capability {capability}" in out and out.rstrip().endswith("query: passed")


def test_target_ids_choose_between_codes_of_one_chip(programs, tmp_path):
    output = tmp_path / "query"
    archs = [f"--offload-arch=gfx942:xnack{sign}" for sign in "+-"]
    wavewright("hipcc", "-std=c++14", *archs, programs.source("query"), "-o", output)
    for xnack in ("0", "1"):
        env = {"WAVEWRIGHT_DEVICE": "emu:gfx942", "HSA_XNACK": xnack}
        done = subprocess.run([output], capture_output=True, text=True, env=env)
        assert f"xnack {xnack}\n" in done.stdout, done


def test_the_default_device_is_gfx942(programs):
    out, _ = programs.run("query", env={"WAVEWRIGHT_DEVICE": ""})
    assert "arch gfx942:sramecc+:xnack-" in out


def test_hipcc_passes_options_on_and_builds_in_steps(programs, tmp_path):
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "answer.h").write_text("#define ANSWER (BASE + 2)\n")
    (tmp_path / "kernel.cpp").write_text(
        "#include <hip/hip_runtime.h>\n#include <answer.h>\n"
        "__global__ void k(int *x) { *x = ANSWER; }\n"
        "void run(int *x) { k<<<1, 1>>>(x); }\n"
    )
    (tmp_path / "main.cpp").write_text(
        "#include <hip/hip_runtime.h>\n#include <cstdio>\nvoid run(int *);\n"
        "int main() { int *x, y; hipMalloc(&x, 4); run(x);\n"
        '  hipMemcpy(&y, x, 4, hipMemcpyDeviceToHost); std::printf("%d\\n", y); }\n'
    )
    env = {"WAVEWRIGHT_DEVICE": "emu:gfx1201"}
    flags = ["-std=c++17", "-Iinc", "-DBASE=40", "-g", "-O1"]
    wavewright("hipcc", *flags, "-c", "kernel.cpp", "-o", "kernel.o", cwd=tmp_path, env=env)
    wavewright("hipcc", *flags, "main.cpp", "kernel.o", "-o", "both", cwd=tmp_path, env=env)
    done = subprocess.run([tmp_path / "both"], capture_output=True, text=True, env=env)
    assert done.stdout == "42\n", done
    # Without --offload-arch only WAVEWRIGHT_DEVICE's chip was compiled for.
    done = subprocess.run([tmp_path / "both"], capture_output=True, text=True, env={})
    assert "both has no code for gfx942:sramecc+:xnack-; it holds gfx1201" in done.stderr
