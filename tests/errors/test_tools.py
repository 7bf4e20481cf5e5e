"""What the tools say to bad input: the exit status, and what is wrong with the numbers in it."""

import json
import random
import struct
import subprocess

import numpy as np
import pytest
from hip_programs import AXPY, hip_object, tool, wavewright

TWO = AXPY + "KERNEL other(int *p) { *p = 1; }"


def refused(*arguments, status=2, **keywords):
    out, err = wavewright(*arguments, status=status, **keywords)
    assert err.startswith("error: "), err
    assert "terminate called" not in err and "Stack dump" not in err and "LLVM ERROR" not in err
    return err


@pytest.fixture
def arrays(tmp_path):
    for name in "ao":
        np.save(tmp_path / f"{name}.npy", np.ones(64, np.float32))
    return ["--arg", tmp_path / "a.npy", "--arg", tmp_path / "o.npy"]


def run(chip, *arguments, **keywords):
    return refused("run", hip_object(AXPY, chip), *arguments, **keywords)


# Usage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "subcommand"),
        (["frobnicate"], "frobnicate"),
        (["run"], "object"),
        (["inspect"], "object"),
        (["run", "x.hsaco", "--checks", "maybe"], "maybe"),
        (["run", "x.hsaco", "--budget", "many"], "many"),
        (["targets", "gfx9999"], "gfx9999"),
        (["compile", "x.mlir", "--opt", "7"], "7"),
    ],
)
def test_usage(arguments, words):
    assert words in refused(*arguments)


def test_an_unknown_chip_names_the_nearest():
    assert "gfx1100" in refused("targets", "gfx1101")


def test_json_errors_are_json():
    out, err = wavewright("targets", "gfx9999", "--json", status=2)
    error = json.loads(out)["error"]
    assert error["kind"] == "UsageError" and error["status"] == 2
    assert error["message"] in err


# Code objects -----------------------------------------------------------------------------------


def test_a_missing_file():
    assert "/no/such.hsaco" in refused("inspect", "/no/such.hsaco")
    assert "/no/such.hsaco" in refused("run", "/no/such.hsaco")


def test_a_folder_is_no_code_object(tmp_path):
    assert "directory" in refused("inspect", tmp_path)


@pytest.mark.parametrize("command", ["inspect", "run"])
def test_an_empty_object(command, tmp_path):
    path = tmp_path / "empty.hsaco"
    path.write_bytes(b"")
    assert "empty.hsaco" in refused(command, path)


def test_a_truncated_object_never_crashes(tmp_path):
    whole = hip_object(AXPY, "gfx950").read_bytes()
    path = tmp_path / "cut.hsaco"
    cuts = [1, 16, 63, 64, 65, 200, len(whole) // 4, len(whole) // 2, len(whole) * 3 // 4]
    for cut in cuts:
        path.write_bytes(whole[:cut])
        assert "cut.hsaco" in refused("inspect", path)
        assert "cut.hsaco" in refused("run", path)


def test_random_bytes_are_no_object(tmp_path):
    path = tmp_path / "noise.hsaco"
    for seed in range(8):
        path.write_bytes(random.Random(seed).randbytes(4096))
        assert "noise.hsaco" in refused("inspect", path)


def test_flipped_bytes_never_crash(tmp_path):
    """Whatever comes out, it is one of the tool's own exit statuses and not a signal."""
    whole = bytearray(hip_object(AXPY, "gfx1100").read_bytes())
    path = tmp_path / "flip.hsaco"
    source = random.Random(0)
    for _ in range(25):
        damaged = bytearray(whole)
        for _ in range(4):
            damaged[source.randrange(min(len(damaged), 4096))] ^= 1 << source.randrange(8)
        path.write_bytes(damaged)
        for command in (["inspect", "-d", path], ["run", path, "--budget", "1000"]):
            done = subprocess.run([tool(), *command], capture_output=True, text=True, timeout=60)
            assert done.returncode in (0, 1, 2, 3), (done.returncode, done.stderr)


def test_the_kernel_must_be_named_and_exist(arrays):
    assert "axpy, other" in refused("run", hip_object(TWO, "gfx942"))
    for command in ("run", "inspect"):
        err = refused(command, hip_object(TWO, "gfx942"), "--kernel", "nope")
        assert "nope" in err and "axpy" in err and "other" in err


# Devices ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "device, words",
    [
        ("cuda:0", "emu:gfx942"),
        ("emu:gfx9999", "gfx9999"),
        ("emu:", "emu:gfx942"),
        ("hip:x", "hip:0"),
        ("", "emu:"),
    ],
)
def test_an_unknown_device_lists_what_works(device, words):
    err = run("gfx942", "--device", device or " ")
    assert words in err and "emu:gfx1201" in err


def test_hip_without_its_library_says_so():
    assert "libamdhip64" in run("gfx942", "--device", "hip:0")


def test_another_chips_object_names_both():
    err = run("gfx942", "--device", "emu:gfx1100")
    assert "gfx942" in err and "gfx1100" in err


# Launches ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("extents", ["0", "8,0,1", "1,2,3,4", "a", "", "-1", "1,,2", "4294967296"])
def test_bad_extents(extents, arrays):
    for option in ("--grid", "--block"):
        spelled = [f"{option}={extents}"] if extents else [option, ""]
        assert option in run("gfx942", *spelled, *arrays, "--arg", "1.0", "--arg", "1")


def test_a_block_over_the_limit(arrays):
    err = run("gfx942", "--block", "2048", *arrays, "--arg", "1.0", "--arg", "1")
    assert "2048" in err and "1024" in err


def test_too_much_lds(arrays):
    err = run("gfx1100", "--dynamic-lds", "70000", *arrays, "--arg", "1.0", "--arg", "1")
    assert "70000" in err and "65536" in err


def test_the_wrong_number_of_arguments(arrays):
    err = run("gfx942", *arrays)
    assert "4 arguments" in err and "2 were given" in err
    err = run("gfx942", *arrays, *("--arg", "1") * 3)
    assert "4 arguments" in err and "5 were given" in err


def test_the_wrong_size_of_an_argument(arrays):
    err = run("gfx942", *arrays, "--arg", "f64:1", "--arg", "1")
    assert "argument 2" in err and "4 bytes" in err and "8 were given" in err
    err = run("gfx942", *arrays, *arrays)
    assert "argument 2" in err and "4 bytes" in err


@pytest.mark.parametrize(
    "text, words",
    [
        ("fish", "fish"),
        ("", "no number"),
        ("5000000000", "4 bytes"),
        ("-3000000000", "4 bytes"),
        ("i8:300", "300"),
        ("u8:-1", "-1"),
        ("q7:1", "q7:1"),
        ("1.2.3", "1.2.3"),
        ("bytes:abc", "hexadecimal"),
        ("99999999999999999999", "64 bits"),
    ],
)
def test_a_bad_number(text, words, arrays):
    spelled = [f"--arg={text}"] if text else ["--arg", ""]
    assert words in run("gfx942", *arrays, "--arg", "1.0", *spelled)


# Arrays -----------------------------------------------------------------------------------------


def header(text, version=(1, 0), announced=None):
    body = text.encode()
    size = struct.pack("<H" if version[0] == 1 else "<I", announced or len(body))
    return b"\x93NUMPY" + bytes(version) + size + body


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }\n"


@pytest.mark.parametrize(
    "content, words",
    [
        (b"", "no .npy file"),
        (b"hello, this is text", "no .npy file"),
        (b"\x93NUMPY\x01\x00", "no .npy file"),
        (header(GOOD, (9, 0)), "version 9.0"),
        (header(GOOD, announced=60000), "60000"),
        (header(GOOD) + bytes(100), "256 bytes"),
        (header("{'descr': '<f4'}"), "dictionary"),
        (header("nonsense"), "dictionary"),
        (header(GOOD.replace("False", "True")) + bytes(256), "ascontiguousarray"),
        (header(GOOD.replace("<f4", ">f4")) + bytes(256), "big-endian"),
        (header(GOOD.replace("<f4", "|O")) + bytes(256), "|O"),
        (header(GOOD.replace("<f4", "<U8")) + bytes(256), "<U8"),
        (header(GOOD.replace("'<f4'", "[('x', '<f4')]")) + bytes(256), "structures"),
        (header(GOOD.replace("64,", "4294967296, 4294967296, 8")), "64 bits"),
        (header(GOOD.replace("64,", "-64,")), "dictionary"),
    ],
)
def test_a_bad_array(content, words, tmp_path):
    path = tmp_path / "bad.npy"
    path.write_bytes(content)
    err = run("gfx942", "--arg", path, "--arg", path, "--arg", "1.0", "--arg", "64")
    assert "bad.npy" in err and words in err
    assert path.read_bytes() == content


def test_a_missing_array():
    assert "/no/a.npy" in run("gfx942", "--arg", "/no/a.npy")


# Compiling --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, words",
    [
        ("this is no MLIR", "x.mlir:1"),
        ("module {}", "--arch"),
        ('module attributes {wavewright.arch = "gfx9999"} {}', "gfx9999"),
        ('module attributes {wavewright.arch = "gfx950"} {}', "kernel"),
    ],
)
def test_a_bad_module(text, words, tmp_path):
    path, output = tmp_path / "x.mlir", tmp_path / "x.hsaco"
    path.write_text(text)
    assert words in refused("compile", path, "-o", output)
    assert not output.exists()


def test_compiling_a_missing_file_or_for_an_unknown_chip(tmp_path):
    assert "/no/x.mlir" in refused("compile", "/no/x.mlir")
    path = tmp_path / "x.mlir"
    path.write_text("module {}")
    assert "gfx77" in refused("compile", path, "--arch", "gfx77")
