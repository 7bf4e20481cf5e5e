"""Which reference an instruction has: the one place that the tests and docs/instructions.md ask."""

from __future__ import annotations

import re

from . import dual, matrix, memory, memory_forms, scalar, special, valu
from .reference import find

GRAPHICS = "graphics"

# Spellings on which device and reference differ, with the reason; not tested until they are mended.
PENDING: list[tuple[str, str]] = [
    (r"v_cvt_scalef32_pk_(fp8|bf8)_f32", "abs of the second source"),
    (r"v_div_scale_f(32|64)", "which of the tiny cases scales, and the flag beside a NaN"),
    (r"clamp: refused", "clamp where it cannot change anything, or saturates"),
    (r"v_pk_fmac_f16", "both halves on their own; not executed in every form"),
]


# The sweep's own spelling of these does not assemble (a bus limit, a register of another bank), so
# that nothing is compared yet.
NOT_SPELLED = re.compile(
    r"v_s_\w+|v_cndmask_b16|v_(fmaak|fmamk|madak|madmk)_f16|v_div_fmas_f64|v_dot2_(i32_i16|u32_u16)"
)


def reference_of(chip: str, entry: dict) -> str | None:
    """ "vector", "scalar", "memory", "matrix", "special", or None."""
    name, kind = entry["name"], entry["class"]
    if kind == GRAPHICS or NOT_SPELLED.fullmatch(name):
        return None
    if special.find(name):
        return "special"
    if kind == "VALU" and find(name, chip):
        return "vector"
    if kind == "SALU" and scalar.known(name):
        return "scalar"
    if kind in ("LDS", "VMEM") and memory.described(name):
        return "memory"
    if kind == "matrix" and matrix.shape_of(name):
        return "matrix"
    return None


def pending(text: str) -> str | None:
    return next((why for pattern, why in PENDING if re.search(pattern, text)), None)


def run_form(chip: str, entry: dict, form: dict, thorough: bool = False) -> tuple[int, list[str]]:
    """Runs one form of an instruction that has a reference: comparisons made, and what differed."""
    name, text, wave = entry["name"], form["text"], form["wave"]
    kind = reference_of(chip, entry)
    odd = "/*" in text or (form["form"].endswith("literal") and kind not in ("vector", "scalar"))
    if "refusal" in form or (odd and kind != "special"):
        return 0, []
    if "v_fma_mix" in name and "literal" in form["form"]:
        return 0, []  # LLVM prints the low half of the literal only
    if form["form"].startswith("vopd"):
        return dual.check_form(chip, wave, text)
    if kind == "vector":
        return valu.check_form(chip, wave, text, find(name, chip), thorough)
    if kind == "scalar":
        return scalar.check_form(chip, wave, text, 6 if thorough else 3)
    if kind == "matrix":
        return (0, []) if "agpr" in form["form"] else matrix.check_form(chip, text)
    if kind == "memory" and "lds" not in form["form"]:
        return memory_forms.check_form(chip, wave, text, form["form"], 4 if thorough else 1)
    check = special.find(name)
    return special.check_form(chip, wave, name, text) if check else (0, [])


def pending_names(name: str) -> bool:
    """Whether some spelling of the instruction is pending."""
    return any(name == pattern for pattern, _ in PENDING)
