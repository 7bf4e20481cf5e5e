"""Devices from Python: launches of any code object, errors as exceptions, Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import ml_dtypes
import numpy as np
import pytest
from hip_programs import AXPY, CHIPS, FOREVER, hip_object

import wavewright
from wavewright import _core


def objects(source, chip):
    return hip_object(source, chip).read_bytes()


@pytest.mark.parametrize("chip", CHIPS)
def test_a_launch_uses_arrays_in_place(chip):
    a = np.arange(500, dtype=np.float32)
    o = np.ones(500, np.float32)
    result = wavewright.launch(
        objects(AXPY, chip), "axpy", (2,), (256,), [a, o, 2.0, np.int32(500)]
    )
    assert o.tolist() == [2.0 * i + 1 for i in range(500)]
    assert result.written == [1]
    wave_size = 64 if chip in ("gfx942", "gfx950") else 32
    assert result.work_groups == 2 and result.waves == 2 * 256 // wave_size
    assert result.wave_instructions > result.waves * 5
    assert result.lane_operations >= 500 and result.seconds > 0


def test_the_device_and_its_modules():
    device = wavewright.open_device("emu:gfx1100")
    assert device is wavewright.open_device("emu:gfx1100")
    assert (device.name, device.arch, device.wave_size) == ("emu:gfx1100", "gfx1100", 32)
    module = device.load(objects(AXPY, "gfx1100"))
    assert module.kernels == ["axpy"]
    buffer = device.allocate(400)
    assert buffer.read() == bytes(400) and buffer.address % 256 == 0
    a = np.full(100, 3, np.float32)
    array = wavewright.as_array(a).argument("a")
    device.launch(module, "axpy", (1,), (128,), [array, buffer, 2.0, 100])
    assert buffer.written
    assert np.frombuffer(buffer.read(), np.float32).tolist() == [6.0] * 100
    buffer.write(np.ones(2, np.float32).tobytes(), 8)
    assert np.frombuffer(buffer.read(), np.float32)[:5].tolist() == [6, 6, 1, 1, 6]


def test_one_array_twice_is_one_memory():
    x = np.arange(64, dtype=np.float32)
    result = wavewright.launch(objects(AXPY, "gfx942"), None, (1,), (64,), [x, x, 1.0, 64])
    assert x.tolist() == [2.0 * i for i in range(64)] and result.written == [0, 1]


def test_a_global_variable():
    source = "__device__ int table[8]; KERNEL fill() { table[TID & 7] = TID & 7; }"
    device = wavewright.open_device("emu:gfx950")
    module = device.load(objects(source, "gfx950"))
    device.launch(module, "fill", (1,), (64,), [])
    assert np.frombuffer(module.buffer("table").read(), np.int32).tolist() == list(range(8))
    with pytest.raises(wavewright.LaunchError, match="table"):
        module.buffer("chair")


def test_errors_are_exceptions_with_a_place():
    code = objects(AXPY, "gfx942")
    a, o = np.ones(64, np.float32), np.ones(64, np.float32)
    with pytest.raises(wavewright.CheckError) as caught:
        wavewright.launch(code, "axpy", (2,), (64,), [a, o, 1.0, 128])
    error = caught.value
    assert error.place.file.endswith(".hip") and error.place.line > 0
    assert str(error).startswith(f"{error.place}: ") and "axpy" in error.message
    with pytest.raises(wavewright.LaunchError):
        wavewright.launch(code, "axpy", (2,), (64,), [a, o, 1.0, 128], checks="off")
    a.flags.writeable = False
    with pytest.raises(wavewright.CheckError, match="read"):
        wavewright.launch(code, "axpy", (1,), (64,), [o, a, 1.0, 64])
    assert a.tolist() == [1.0] * 64


@pytest.mark.parametrize(
    "change, words",
    [
        ({"grid": (0,)}, "grid"),
        ({"grid": (1, 2, 3, 4)}, "at most 3"),
        ({"grid": ("x",)}, "'x'"),
        ({"block": (2048,)}, "2048"),
        ({"kernel": "nope"}, "axpy"),
        ({"arguments": []}, "4 arguments"),
        ({"arguments": [1, 2, 3.0, "four"]}, "str"),
        ({"arguments": [0, 0, 1.0, 1 << 40]}, "argument 3"),
        ({"arguments": [0, 0, 1.0, 1 << 80]}, "argument 3"),
        ({"arguments": [0, 0, b"12345678", 1]}, "8 were given"),
        ({"device": "emu:gfx950"}, "gfx942"),
    ],
)
def test_what_a_launch_refuses(change, words):
    call = {"kernel": "axpy", "grid": (1,), "block": (64,), "arguments": [0, 0, 1.0, 0]}
    kind = wavewright.UsageError if "kernel" in change else wavewright.LaunchError
    with pytest.raises(kind, match=words):
        wavewright.launch(objects(AXPY, "gfx942"), **(call | change))


@pytest.mark.parametrize("option", [{"checks": "perhaps"}, {"matrix": "quick"}])
def test_wrong_words_list_the_right_ones(option):
    with pytest.raises(wavewright.UsageError, match='"off"|"fast"'):
        wavewright.launch(objects(AXPY, "gfx942"), "axpy", (1,), (1,), [0, 0, 1.0, 0], **option)


def test_a_damaged_object_is_an_error():
    code = objects(AXPY, "gfx1201")
    for cut in (0, 10, 64, len(code) // 2):
        with pytest.raises(wavewright.Error):
            wavewright.launch(code[:cut], "axpy", arguments=[0, 0, 1.0, 0], device="emu:gfx1201")


def test_unknown_devices_list_what_works():
    with pytest.raises(wavewright.UsageError, match="emu:gfx942.*emu:gfx1201"):
        wavewright.open_device("emu:gfx12345")
    assert [f"emu:{chip}" for chip in CHIPS] == wavewright.available_devices()[:5]


def test_which_device_counts(monkeypatch):
    resolve = wavewright.resolve_device
    monkeypatch.delenv("WAVEWRIGHT_DEVICE", raising=False)
    assert resolve(default="emu:gfx1100") == "emu:gfx1100"
    monkeypatch.setenv("WAVEWRIGHT_DEVICE", "emu:gfx950")
    assert resolve() == "emu:gfx950"
    assert resolve(device="hip:0") == "hip:0"
    assert resolve(arch="gfx940") == "emu:gfx942"
    assert resolve("gfx1201", "emu:gfx1201") == "emu:gfx1201"
    with pytest.raises(wavewright.UsageError, match="two chips"):
        resolve("gfx1201", "emu:gfx950")


def test_facts_of_chips_and_objects():
    assert {t["name"] for t in wavewright.targets()} >= set(CHIPS)
    (kernel,) = wavewright.inspect(objects(AXPY, "gfx950"))["kernels"]
    assert kernel["name"] == "axpy" and kernel["scratch_bytes"] == 0
    assert _core.llvm_version.startswith("22.")


def test_bf16_arrays_reach_the_kernel():
    source = "KERNEL twice(__bf16 *o) { o[TID] = (__bf16)((float)o[TID] * 2); }"
    o = np.arange(64).astype(ml_dtypes.bfloat16)
    wavewright.launch(objects(source, "gfx950"), "twice", (1,), (64,), [o])
    assert o.astype(np.float32).tolist() == [2.0 * i for i in range(64)]


def test_other_threads_run_while_one_launches():
    """The GIL is free during a launch."""
    code = objects(FOREVER, "gfx942")
    device = wavewright.open_device("emu:gfx942")
    flag = np.zeros(1, np.int32)
    seen = []

    def spin():
        try:
            module = device.load(code)
            device.launch(
                module, "forever", (1,), (1,), [wavewright.as_array(flag).argument()],
            )  # fmt: skip
            seen.append("ended")
        except wavewright.Error as error:
            seen.append(error)

    thread = threading.Thread(target=spin)
    thread.start()
    time.sleep(0.3)
    assert thread.is_alive()
    flag[0] = 1  # the kernel polls the array itself
    thread.join(10)
    assert seen == ["ended"]


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100"])
def test_ctrl_c_ends_a_launch_within_a_fifth_of_a_second(chip):
    program = f"""
import numpy as np, wavewright, time, sys
flag = np.zeros(1, np.int32)
code = open({str(hip_object(FOREVER, chip))!r}, "rb").read()
print("ready", flush=True)
try:
    wavewright.launch(code, "forever", (64,), (1,), [flag])
except KeyboardInterrupt:
    print("interrupted", time.monotonic(), flush=True)
# The device still works afterwards.
flag[0] = 1
wavewright.launch(code, "forever", (4,), (1,), [flag])
print("again", flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.7)
    begin = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    word, when = process.stdout.readline().split()
    assert word == "interrupted" and float(when) - begin < 0.2
    assert process.stdout.readline() == "again\n"
    assert process.wait(10) == 0
