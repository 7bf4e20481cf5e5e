"""`wavewright doctor`, `targets`, `inspect`, `compile` and `--version`."""

import json

import pytest
from hip_programs import AXPY, CHIPS, hip_object, wavewright


def test_version_names_llvm():
    out, _ = wavewright("--version")
    assert out.startswith("wavewright 0.") and "LLVM 22." in out


def test_doctor_tells_what_is_found_and_what_is_missing():
    out, _ = wavewright("doctor", env={"WAVEWRIGHT_DEVICE": "emu:gfx950"})
    assert "LLVM's AMDGPU backend" in out and "emulated chips" in out and "HIP library" in out
    out, _ = wavewright("doctor", "--json", env={"WAVEWRIGHT_DEVICE": "emu:gfx950"})
    document = json.loads(out)
    findings = {f["name"]: f for f in document["findings"]}
    assert document["healthy"]
    assert findings["emulated chips"]["detail"].split() == CHIPS
    assert findings["LLVM"]["detail"].startswith("22.")
    assert findings["WAVEWRIGHT_DEVICE"]["found"]


def test_doctor_refuses_a_device_that_does_not_exist():
    out, _ = wavewright("doctor", env={"WAVEWRIGHT_DEVICE": "emu:gfx9999"}, status=1)
    assert "MISSING" in out and "gfx9999" in out


def test_targets_have_the_facts_of_each_chip():
    chips = {chip["name"]: chip for chip in json.loads(wavewright("targets", "--json")[0])}
    assert set(CHIPS) <= set(chips)
    text, _ = wavewright("targets", "gfx950")
    assert "gfx950" in text and "160 KiB" in text and "gfx1100" not in text
    assert "64 KiB" in wavewright("targets", "gfx1100")[0]


@pytest.mark.parametrize("chip", CHIPS)
def test_inspect_reads_any_code_object(chip):
    path = hip_object(AXPY, chip)
    out, _ = wavewright("inspect", path)
    assert chip in out and "axpy" in out and "VGPR" in out and "occupancy" in out
    document = json.loads(wavewright("inspect", path, "--json")[0])
    (kernel,) = document["kernels"]
    assert document["chip"] == chip and kernel["name"] == "axpy"
    explicit = [a for a in kernel["arguments"] if not a["hidden"]]
    assert [(a["offset"], a["size"]) for a in explicit] == [(0, 8), (8, 8), (16, 4), (20, 4)]
    assert kernel["vgpr_spills"] == 0 and kernel["instructions"]["total"] > 5
    assert kernel["vgprs"] > 0


@pytest.mark.parametrize("chip", CHIPS)
def test_inspect_disassembles_with_source_lines(chip):
    path = hip_object(AXPY, chip)
    out, _ = wavewright("inspect", path, "-d")
    assert "s_endpgm" in out and ".hip:" in out and "axpy:" in out
    (kernel,) = json.loads(wavewright("inspect", path, "-d", "--json")[0])["kernels"]
    lines = kernel["disassembly"]
    assert len(lines) == kernel["instructions"]["total"]
    assert any("global_store" in line["text"] for line in lines)
    assert any(".hip:" in line.get("place", "") for line in lines)


def test_inspect_takes_one_kernel_of_several():
    path = hip_object(AXPY + "KERNEL other(int *p) { *p = 1; }", "gfx1100")
    out, _ = wavewright("inspect", path, "--kernel", "other")
    assert "other on gfx1100" in out and "axpy" not in out


def test_version_as_json():
    out, _ = wavewright("--version", "--json")
    assert set(json.loads(out)) == {"wavewright", "llvm"}
