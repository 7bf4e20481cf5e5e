"""Writes add.mlir and gemm.mlir: what the front end traces, before any pass, for arrays that are
aligned to 16 bytes with columns that divide by 8."""

import importlib.util
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def main():
    for name, kernel in [("add", example("add").add), ("gemm", example("gemm").make_gemm())]:
        (HERE / f"{name}.mlir").write_text(str(kernel.trace("gfx1100").module))


if __name__ == "__main__":
    main()
