"""`make demo`: kernels written in Python, compiled for five AMD chips, executed instruction by
instruction on the built-in device, and compared with numpy in float64."""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

from rich.console import Console
from rich.table import Table

CHIPS = ["gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name: str) -> ModuleType:
    """One of the example programs as a module."""
    spec = importlib.util.spec_from_file_location(
        f"wavewright_example_{name}", EXAMPLES / f"{name}.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def rows():
    """(title, check) of each row of the table; a check takes the device."""
    shapes = {
        "add": [(4096, 4096), (1000, 77)],
        "rmsnorm": [(512, 4096), (33, 1000)],
        "softmax": [(512, 4096), (33, 1000)],
    }
    for name, sizes in shapes.items():
        program = example(name)
        for shape in sizes:
            title = f"{name} {'x'.join(map(str, shape))}"
            yield title, lambda device, p=program, s=shape: p.check(s, device)
    program = example("gemm")
    for shape in [(512, 512, 512), (200, 136, 72), (77, 131, 45)]:
        title = f"gemm {'x'.join(map(str, shape))}"
        yield title, lambda device, s=shape: program.check(*s, device=device)


def main() -> int:
    table = Table(title="Kernels written in Python, run on the built-in device")
    for name, justify in [
        ("kernel", "left"),
        ("chip", "left"),
        ("compile ms", "right"),
        ("VGPR", "right"),
        ("SGPR", "right"),
        ("spills", "right"),
        ("instructions", "right"),
        ("error", "right"),
        ("bound", "right"),
        ("", "left"),
    ]:
        table.add_column(name, justify=justify)
    started = time.perf_counter()
    failed = count = 0
    for title, check in rows():
        for chip in CHIPS:
            comparison, statistics = check(f"emu:{chip}")
            build = statistics.build
            resources = build.resources
            spills = resources["vgpr_spills"] + resources["sgpr_spills"]
            ok = comparison.ok and spills == 0
            count += 1
            failed += not ok
            table.add_row(
                title,
                chip,
                f"{build.compile_ms:.0f}",
                str(resources["vgprs"] + resources["agprs"]),
                str(resources["sgprs"]),
                str(spills),
                f"{statistics.wave_instructions:,}",
                f"{comparison.error:.2e}",
                f"{comparison.bound:.2e}",
                "pass" if ok else "FAIL",
            )
    Console(width=120).print(table)
    seconds = time.perf_counter() - started
    print(f"{count - failed} of {count} rows pass ({seconds:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
