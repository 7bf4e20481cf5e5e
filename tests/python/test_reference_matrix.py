"""The emulator's matrix arithmetic against an independent statement of the same rules.

`unit_emulator` prints results for random operands; the generator (splitmix64) stands on both sides,
so that only results travel. The silicon vectors are checked against the reference too: three
parties, no two of which share code.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import reference_matrix as ref

ROOT = Path(__file__).resolve().parents[2]
MASK = (1 << 64) - 1


class SplitMix:
    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
        return z ^ z >> 31


def element(random: SplitMix, exponent_bits: int, fraction_bits: int, mode: int) -> int:
    """As emulator_matrix_vectors.cpp draws it: sign and fraction, and an exponent field by mode."""
    r = random.next()
    top = (1 << exponent_bits) - 1
    bias = top // 2
    pick = r >> 32
    field = (
        pick % (top + 1),
        bias - 4 + pick % 8,
        (pick >> 2) % (top + 1) if pick % 4 else 0,
        pick % (bias // 2 + 1),
        top - 1 - pick % 3,
    )[mode]
    fraction = r & ((1 << fraction_bits) - 1)
    sign = r >> 63 & 1
    return sign << (exponent_bits + fraction_bits) | field << fraction_bits | fraction


def integers(random: SplitMix, bits: int, count: int) -> list[int]:
    return [random.next() & ((1 << bits) - 1) for _ in range(count)]


SHAPES = {
    "f32": (8, 23),
    "f16": (5, 10),
    "bf16": (8, 7),
    "fp8": (4, 3),
    "bf8": (5, 2),
}


def chain(step: Callable[[list[int], list[int], int], int], size: int) -> Callable[..., int]:
    def run(a: list[int], b: list[int], c: int) -> int:
        for k in range(0, len(a), size):
            c = step(a[k : k + size], b[k : k + size], c)
        return c

    return run


def cdna(fa: ref.Format, fb: ref.Format, group: int) -> Callable[..., int]:
    return lambda a, b, c: ref.cdna_dot(a, b, c, fa, fb, group)


def rdna3(form: ref.Format, result: ref.Format) -> Callable[..., int]:
    return chain(lambda a, b, c: ref.rdna3_step(a, b, c, form, result), 2)


def rdna4(fa: ref.Format, fb: ref.Format, result: ref.Format) -> Callable[..., int]:
    return chain(lambda a, b, c: ref.rdna4_step(a, b, c, fa, fb, result), 4)


# Name, element shapes of a and b, of c, K, rule. The order and the names are the C++ side's.
CASES: dict[str, tuple[str, str, str, int, Callable[..., int]]] = {
    "cdna_f16": ("f16", "f16", "f32", 16, cdna(ref.F16, ref.F16, 8)),
    "cdna_f16_k4": ("f16", "f16", "f32", 4, cdna(ref.F16, ref.F16, 4)),
    "cdna_bf16": ("bf16", "bf16", "f32", 16, cdna(ref.BF16, ref.BF16, 8)),
    "cdna_xf32": ("f32", "f32", "f32", 8, cdna(ref.XF32, ref.XF32, 4)),
    "cdna_fp8_fnuz": ("fp8", "fp8", "f32", 32, cdna(ref.FP8_FNUZ, ref.FP8_FNUZ, 16)),
    "cdna_bf8_fp8_fnuz": ("bf8", "fp8", "f32", 32, cdna(ref.BF8_FNUZ, ref.FP8_FNUZ, 16)),
    "cdna_fp8_bf8": ("fp8", "bf8", "f32", 32, cdna(ref.FP8, ref.BF8, 16)),
    "cdna_f32": ("f32", "f32", "f32", 4, ref.fma_chain),
    "rdna3_f32_f16": ("f16", "f16", "f32", 16, rdna3(ref.F16, ref.F32)),
    "rdna3_f32_bf16": ("bf16", "bf16", "f32", 16, rdna3(ref.BF16, ref.F32)),
    "rdna3_f16_f16": ("f16", "f16", "f16", 16, rdna3(ref.F16, ref.F16)),
    "rdna3_bf16_bf16": ("bf16", "bf16", "bf16", 16, rdna3(ref.BF16, ref.BF16)),
    "rdna4_f32_f16": ("f16", "f16", "f32", 16, rdna4(ref.F16, ref.F16, ref.F32)),
    "rdna4_f32_bf16": ("bf16", "bf16", "f32", 16, rdna4(ref.BF16, ref.BF16, ref.F32)),
    "rdna4_f16_f16": ("f16", "f16", "f16", 16, rdna4(ref.F16, ref.F16, ref.F16)),
    "rdna4_bf16_bf16": ("bf16", "bf16", "bf16", 16, rdna4(ref.BF16, ref.BF16, ref.BF16)),
    "rdna4_f32_fp8_bf8": ("fp8", "bf8", "f32", 16, rdna4(ref.FP8, ref.BF8, ref.F32)),
    "i8_clamp": (
        "8",
        "8",
        "32",
        16,
        lambda a, b, c: ref.integer_dot(a, b, c, 8, True, True, True),
    ),
    "u8_i8": ("8", "8", "32", 16, lambda a, b, c: ref.integer_dot(a, b, c, 8, False, True, False)),
    "i4_u4": ("4", "4", "32", 32, lambda a, b, c: ref.integer_dot(a, b, c, 4, True, False, False)),
}


def draw(random: SplitMix, shape: str, mode: int) -> int:
    if shape in SHAPES:
        return element(random, *SHAPES[shape], mode)
    return integers(random, int(shape), 1)[0]


def operands(name: str, seed: int) -> Iterator[tuple[list[int], list[int], int]]:
    """Every third sample pairs products that cancel."""
    fa, fb, fc, k, _ = CASES[name]
    random = SplitMix(seed)
    index = 0
    while True:
        mode, c_mode = random.next() % 5, random.next() % 5
        a = [draw(random, fa, mode) for _ in range(k)]
        b = [draw(random, fb, mode) for _ in range(k)]
        c = draw(random, fc, c_mode)
        if index % 3 == 2 and fb in SHAPES:
            for i in range(1, k, 2):
                a[i], b[i] = a[i - 1], b[i - 1] ^ 1 << sum(SHAPES[fb])
        index += 1
        yield a, b, c


def unit_emulator() -> Path:
    places = [Path(p) for p in os.environ.get("WAVEWRIGHT_BUILD_DIR", "").split(":") if p]
    places += [ROOT / "build", *sorted(ROOT.glob("build/*"))]
    for place in places:
        program = place / "tests" / "unit_emulator"
        if program.exists():
            return program
    pytest.fail("unit_emulator is not built: run scripts/setup.sh, or set WAVEWRIGHT_BUILD_DIR")


def compare(samples: int, seed: int, folder: Path) -> None:
    output = folder / "results.csv"
    subprocess.run(
        [unit_emulator(), "--gtest_filter=MatrixVectors.Print"],
        check=True,
        capture_output=True,
        env={
            **os.environ,
            "WAVEWRIGHT_MATRIX_VECTORS": str(output),
            "WAVEWRIGHT_MATRIX_SAMPLES": str(samples),
            "WAVEWRIGHT_MATRIX_SEED": str(seed),
        },
    )
    seen: dict[str, int] = {}
    streams = {name: operands(name, seed) for name in CASES}
    with output.open() as lines:
        for line in lines:
            name, result = line.strip().split(",")
            a, b, c = next(streams[name])
            index = seen.get(name, 0)
            seen[name] = index + 1
            expected = CASES[name][4](a, b, c)
            assert int(result, 16) == expected, (
                f"{name} sample {index} of seed {seed}: emulator {result}, reference {expected:x}, "
                f"a {[hex(x) for x in a]}, b {[hex(x) for x in b]}, c {c:#x}"
            )
    assert seen == dict.fromkeys(CASES, samples)


def test_emulator_agrees_with_the_reference(tmp_path: Path) -> None:
    compare(500, 2026, tmp_path)  # 20 rules: 10,000 results


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10))
def test_emulator_agrees_with_the_reference_on_a_million(tmp_path: Path, seed: int) -> None:
    compare(5000, 1000 + seed, tmp_path)


SILICON = json.loads((ROOT / "tests" / "vectors" / "matrix_arithmetic.json").read_text())


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1201"])
@pytest.mark.parametrize(("instruction", "form"), [("f16", ref.F16), ("bf16", ref.BF16)])
def test_reference_agrees_with_silicon(chip: str, instruction: str, form: ref.Format) -> None:
    rows = SILICON[chip][f"v_dot2_f32_{instruction}"]
    assert len(rows) >= 13
    for row in rows:
        a, b, c, d = (int(x, 16) for x in row)
        halves = [a & 0xFFFF, a >> 16], [b & 0xFFFF, b >> 16]
        if chip == "gfx1100":
            result = ref.rdna3_step(*halves, c, form, ref.F32)
        else:
            result = ref.rdna4_step(*halves, c, form, form, ref.F32)
        assert result == d, row


@pytest.mark.parametrize(("instruction", "form"), [("f16", ref.F16), ("bf16", ref.BF16)])
def test_reference_agrees_with_silicon_on_wmma(instruction: str, form: ref.Format) -> None:
    """The fixture numbers K in runs of eight a lane; wave32's hardware swaps bits 2 and 3."""
    swapped = [(k & 3) | (k & 4) << 1 | (k & 8) >> 1 for k in range(16)]
    for row in SILICON["gfx1201"][f"v_wmma_f32_16x16x16_{instruction}"]["rows"]:
        a, b = ([int(x, 16) for x in values] for values in row[:2])
        c, wave32, wave64 = (int(x, 16) for x in row[2:])
        run = rdna4(form, form, ref.F32)
        assert run(a, b, c) == wave64
        assert run([a[k] for k in swapped], [b[k] for k in swapped], c) == wave32
