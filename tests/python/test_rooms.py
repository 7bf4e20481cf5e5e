"""A room includes only rooms above it; the emulator never meets MLIR or the layouts."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ORDER = [
    "support",
    "target",
    "codeobject",
    "layout",
    "ir",
    "passes",
    "codegen",
    "emulator",
    "runtime",
    "hip",
    "kernels",
    "capi",
]
# What a room knows beside itself (the architecture's table, closed over).
KNOWS = {
    "support": set(),
    "target": {"support"},
    "codeobject": {"support", "target"},
    "layout": {"support", "target"},
    "ir": {"support", "target", "layout"},
    "passes": {"support", "target", "layout", "ir"},
    "codegen": {"support", "target", "layout", "ir", "passes", "codeobject"},
    "emulator": {"support", "target", "codeobject"},
    "runtime": {"support", "target", "codeobject", "layout", "ir", "passes", "codegen", "emulator"},
    "hip": {"support", "target", "codeobject", "emulator", "runtime"},
    "kernels": {"support", "target", "layout", "ir", "passes", "codegen", "codeobject", "runtime"},
    "capi": set(ORDER) - {"capi"},
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def sources(room):
    folder = ROOT / "wavewright" / room
    return [p for p in folder.rglob("*") if p.suffix in {".h", ".cpp", ".inc", ".td"}]


def violations(room, text):
    for include in INCLUDE.findall(text):
        if include.startswith("wavewright/"):
            other = include.split("/")[1]
            if other != room and other not in KNOWS[room]:
                yield include
        elif include.startswith("mlir/") and room not in {
            "ir",
            "passes",
            "codegen",
            "capi",
            "kernels",
        }:
            yield include


@pytest.mark.parametrize("room", ORDER)
def test_room_includes_only_rooms_above(room):
    bad = [
        f"{path.relative_to(ROOT)}: {include}"
        for path in sources(room)
        for include in violations(room, path.read_text())
    ]
    assert not bad


def test_the_rule_can_fail():
    assert list(violations("emulator", '#include "wavewright/layout/linear_layout.h"\n'))
    assert list(violations("emulator", '#include "mlir/IR/Value.h"\n'))
    assert list(violations("codegen", '#include "wavewright/emulator/machine.h"\n'))
    assert not list(violations("codegen", '#include "wavewright/passes/passes.h"\n'))


def test_every_room_is_named():
    folders = {p.name for p in (ROOT / "wavewright").iterdir() if p.is_dir()}
    assert folders <= set(ORDER)
