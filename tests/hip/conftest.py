"""HIP programs compiled by `wavewright hipcc`, each once for all chips, two at a time."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from hip_programs import CHIPS, tool

FOLDER = Path(__file__).parent / "programs"


class Programs:
    """Executables by name. The first wish for one starts the compilation of all that are wanted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pool = ThreadPoolExecutor(2)
        self.futures: dict[str, Future[Path]] = {}

    def _compile(self, name: str) -> Path:
        output = self.folder / name
        # C++14 spares the special functions that <cmath> brings from C++17 on: half of the time.
        done = subprocess.run(
            [tool(), "hipcc", "-std=c++14", "-O2", "-Wall", self.source(name), "-o", output]
            + [f"--offload-arch={chip}" for chip in CHIPS],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        return output

    def source(self, name: str) -> Path:
        return FOLDER / f"{name}.hip"

    def want(self, names) -> None:
        for name in names:
            if name not in self.futures:
                self.futures[name] = self.pool.submit(self._compile, name)

    def run(self, name, *arguments, chip="gfx942", status=0, env=None, timeout=100):
        """Runs a program on a chip; gives (stdout, stderr)."""
        self.want([name])
        done = subprocess.run(
            [self.futures[name].result(), *map(str, arguments)],
            capture_output=True,
            text=True,
            env={**os.environ, "WAVEWRIGHT_DEVICE": f"emu:{chip}", **(env or {})},
            timeout=timeout,
        )
        assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
        return done.stdout, done.stderr


@pytest.fixture(scope="session")
def programs(tmp_path_factory, request):
    made = Programs(tmp_path_factory.mktemp("hip"))
    wanted = {
        item.callspec.params["program"]
        for item in request.session.items
        if hasattr(item, "callspec") and "program" in item.callspec.params
    }
    made.want(sorted(wanted))
    return made
