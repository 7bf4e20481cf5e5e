"""What HIP programs are told when they go wrong: the code of HIP, and our sentence on stderr."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from hip_programs import tool, wavewright

SOURCES = Path(__file__).resolve().parents[1] / "hip" / "programs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("hip_errors")
    flags = ["-std=c++14", "-g", "--offload-arch=gfx1100", "--offload-arch=gfx942"]
    wavewright("hipcc", *flags, SOURCES / "errors.hip", "-o", made / "errors")
    wavewright("hipcc", "--genco", *flags[:3], SOURCES / "scale.hip", "-o", made / "scale.hsaco")
    return made


def run(folder, *arguments, device="emu:gfx1100"):
    done = subprocess.run(
        [folder / "errors", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "WAVEWRIGHT_DEVICE": device},
        timeout=60,
    )
    assert done.returncode == 0, done
    return done.stdout.splitlines(), done.stderr


def test_a_fault_is_reported_at_the_next_wait_and_stays(folder):
    out, err = run(folder, "pointer")
    assert out == [
        "launch: hipSuccess",
        "synchronise: hipErrorIllegalAddress",
        "later: hipErrorIllegalAddress",
        "last: hipErrorIllegalAddress",
        "last: hipSuccess",
        "reset: hipSuccess",
        "again: hipSuccess",
    ]
    assert re.search(
        r"errors\.hip:\d+: kernel _Z5writePii: writes 4 bytes at 0x\w+ outside of", err
    )
    assert "4 bytes past the end of memory of hipMalloc (0x1000000000, 16 bytes)" in err


@pytest.mark.parametrize(
    ("mode", "line", "message"),
    [
        ("host", "a host's variable: hipErrorIllegalAddress", r"outside of live memory"),
        ("trap", "trap: hipErrorLaunchFailure", r"the kernel stopped itself \(s_trap 2"),
    ],
)
def test_a_launch_fails(folder, mode, line, message):
    out, err = run(folder, mode)
    assert line in out and re.search(message, err)


CASES = {
    "copies": [
        ("too much: hipErrorInvalidValue", "byte 0 of an allocation of 100 bytes, and 101 bytes"),
        ("too far: hipErrorInvalidValue", "byte 60 of an allocation of 100 bytes, and 50 bytes"),
        ("no device memory: hipErrorInvalidValue", "hipMemcpy: the destination 0x"),
        ("null: hipErrorInvalidValue", "hipMemcpy: the destination is null"),
        ("direction: hipErrorInvalidMemcpyDirection", "9 is no direction of a copy"),
        (
            "pitch: hipErrorInvalidPitchValue",
            "rows of 10 bytes do not fit into pitches of 5 and 20",
        ),
        ("set: hipErrorInvalidValue", "hipMemset: the destination"),
        ("symbol: hipErrorInvalidValue", "20 bytes at offset 0 reach past the variable's 16 bytes"),
        ("no symbol: hipErrorInvalidSymbol", "is no __device__, __constant__ or __managed__"),
    ],
    "memory": [
        ("1 EiB: hipErrorOutOfMemory", "1152921504606846976 bytes were asked for"),
        ("pinned: hipErrorOutOfMemory", "the host has no 1152921504606846976 bytes"),
        ("middle: hipErrorInvalidValue", "is not what hipMalloc or hipMallocManaged gave"),
        ("twice: hipErrorInvalidValue", "0x1000000000 is not what hipMalloc"),
        ("registered twice: hipErrorHostMemoryAlreadyRegistered", "byte 4 of registered host"),
        ("not registered: hipErrorHostMemoryNotRegistered", "is not what hipHostRegister gave"),
    ],
    "configuration": [
        ("2048 work-items: hipErrorInvalidConfiguration", "a block of 2048x1x1 work-items"),
        ("no groups: hipErrorInvalidConfiguration", "0x1x1 work-groups"),
        ("1 MiB of LDS: hipErrorInvalidConfiguration", "needs 1048576 bytes of LDS"),
        ("launch bounds: hipErrorInvalidConfiguration", "more than the 64 that kernel"),
        (
            "cooperative: hipErrorCooperativeLaunchTooLarge",
            "1048576 work-groups cannot run at once",
        ),
        ("not a kernel: hipErrorInvalidDeviceFunction", "is no kernel of this program"),
        ("no arguments: hipErrorInvalidValue", "the array of arguments is null"),
    ],
    "handles": [
        ("stream: hipErrorInvalidHandle", "is no live stream"),
        ("event: hipErrorInvalidHandle", "is no live event"),
        ("module: hipErrorInvalidHandle", "is no loaded module"),
        ("graph: hipErrorInvalidValue", "is no live graph"),
        ("device: hipErrorInvalidDevice", "there is no device 3"),
        (
            "wait in a host function: hipErrorNotSupported",
            "cannot wait for the device, which waits",
        ),
        ("unrecorded: hipErrorInvalidHandle", "the event was never recorded"),
    ],
    "capture": [
        (
            "default stream: hipErrorStreamCaptureUnsupported",
            "the default stream cannot be captured",
        ),
        ("begin twice: hipErrorIllegalState", "the stream is capturing already"),
        ("synchronise: hipErrorStreamCaptureUnsupported", "its work has not run"),
        ("end: hipErrorStreamCaptureInvalidated", "could not be captured"),
        ("end twice: hipErrorIllegalState", "the stream is not capturing"),
        ("not joined: hipErrorStreamCaptureUnjoined", "work of another stream was not waited for"),
    ],
}


@pytest.mark.parametrize("mode", CASES)
def test_misuse_is_refused_with_its_numbers(folder, mode):
    out, err = run(folder, mode)
    for line, message in CASES[mode]:
        assert line in out
        assert message in err


def test_modules_that_cannot_be_used(folder):
    out, err = run(folder, "module", folder / "scale.hsaco")
    for line, message in (
        ("file: hipErrorFileNotFound", "/nowhere/x.hsaco: No such file or directory"),
        ("garbage: hipErrorInvalidImage", "it starts with the bytes 78 78 78 78"),
        ("load: hipSuccess", ""),
        ("function: hipErrorNotFound", 'has no kernel "missing"; it has scale'),
        ("global: hipErrorNotFound", "has no global variable missing; it has"),
        ("short arguments: hipErrorInvalidValue", "bytes 8 to 12 of the arguments, and 8 bytes"),
    ):
        assert line in out and message in err
    out, err = run(folder, "module", folder / "scale.hsaco", device="emu:gfx942")
    assert "load: hipErrorNoBinaryForGpu" in out and "is for gfx1100" in err
    out, err = run(folder, "module", "/dev/null")
    assert "load: hipErrorInvalidImage" in out and "/dev/null has 0 bytes" in err


@pytest.mark.parametrize(
    ("device", "message"),
    [
        ("hip:0", 'WAVEWRIGHT_DEVICE is "hip:0", and this program is linked with the built-in'),
        ("emu:gfx906", 'no device "emu:gfx906"'),
    ],
)
def test_a_device_that_is_none(folder, device, message):
    out, err = run(folder, device=device)
    assert out == ["0 devices: hipErrorNoDevice"] and message in err


def test_a_program_without_code_for_the_chip_lists_what_it_has(folder):
    out, err = run(folder, "trap", device="emu:gfx1201")
    assert "has no code for gfx1201; it holds gfx1100, gfx942; compile it with" in err


def test_hipcc_says_what_it_misses(tmp_path):
    done = subprocess.run(
        [tool(), "hipcc", "x.cpp"], capture_output=True, text=True, env={"PATH": str(tmp_path)}
    )
    assert done.returncode == 2
    assert "clang++-22 is not on PATH; install the package clang-22" in done.stderr
    _, err = wavewright("hipcc", "--offload-arch=gfx906", "x.cpp", status=2)
    assert "gfx906" in err
    out, _ = wavewright("hipcc", "--help")
    assert "--offload-arch=<chip>" in out
