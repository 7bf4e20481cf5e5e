"""Runs generated programs on emulated chips and on the host, and reduces what differs.

    python tests/fuzz/programs/campaign.py --seed 1 --programs 10000 --chips gfx942,gfx1201

goes on where the same seed stopped (--state), writes each failure with its command and its reduced
program to --failures, and ends with a table of counts. --only 17 runs one program again.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[2]), str(Path(__file__).parent)]

import generator  # noqa: E402
import reducer  # noqa: E402
import twin  # noqa: E402

import wavewright  # noqa: E402

BATCH = 32
#: LLVM 22 takes `max(a * b, c) + d * e` of bytes for a sum of products (performAddCombine looks at
#: two operands of any node) and makes v_dot4 of it; without the feature it does not try.
FLAGS = ("-Xclang", "-target-feature", "-Xclang", "-dot7-insts")
LEVELS = ["O1", "O0", "O3", "O2", "O1", "O3"]
#: Wave-instructions of one program; every loop is bounded, so more is a failure.
BUDGET = 1 << 24


def level_of(batch: int, chip: str) -> str:
    """The optimisation level of a batch; each chip sees them in turn."""
    return LEVELS[(batch + twin.CHIPS.index(chip)) % len(LEVELS)]


@dataclasses.dataclass
class Failure:
    kernel: generator.Kernel
    chip: str
    level: str
    words: str


class Pair:
    """A source compiled for one chip and for the host, not kept."""

    def __init__(self, source: str, host: twin.HostLibrary | None = None):
        self.source = source
        self.programs = {p.name: p for p in twin.programs_of(source)}
        self.host = host or twin.HostLibrary(source, "O0", keep=False)
        self.wanted: dict[tuple[str, int], list] = {}

    def wants(self, name: str, wave: int) -> list:
        program = self.programs[name]
        key = (name, wave if program.wave else 0)
        if key not in self.wanted:
            self.wanted[key] = self.host.run(program, self.inputs(name), wave)
        return self.wanted[key]

    def inputs(self, name: str) -> list:
        """The same for all programs, so that a reduced program sees what the whole one saw."""
        return twin.make_inputs(dataclasses.replace(self.programs[name], name="fuzz"))

    def judge(self, chip: str, level: str) -> dict[str, str]:
        """What is wrong, by program; programs that agree are not in it. Raises CompileFailure."""
        device = twin.DeviceModule(self.source, chip, level, FLAGS, keep=False)
        wrong = {}
        for name, program in self.programs.items():
            want = self.wants(name, twin.wave_size(chip))
            try:
                got = device.run(program, self.inputs(name), budget=BUDGET)
            except wavewright.Error as error:
                wrong[name] = f"{name}: {error}"
                continue
            lines = twin.differences(program, want, got)
            if lines:
                wrong[name] = "\n".join(lines)
        return wrong


def kind_of(words: str) -> str:
    """Failures of one kind are reduced as one: what differs, or which instruction is not there."""
    if "differs" in words:
        return "differs"
    return words.split(": ", 2)[-1].split(";")[0][:60]


def fails(chip: str, level: str, kind: str):
    """A judge for the reducer."""

    def judge(kernels: list[generator.Kernel]) -> list[bool]:
        try:
            wrong = Pair(generator.source_of(kernels)).judge(chip, level)
        except twin.CompileFailure:
            if len(kernels) == 1:
                return [False]
            half = len(kernels) // 2
            return judge(kernels[:half]) + judge(kernels[half:])
        return [k.name in wrong and kind_of(wrong[k.name]) == kind for k in kernels]

    return judge


def run_batch(seed: int, indices: range, chips: list[str], level: str | None = None) -> dict:
    """Counts of clean programs by chip, and failures."""
    kernels = [generator.generate(seed, i) for i in indices]
    pair = Pair(generator.source_of(kernels))
    by_name = {k.name: k for k in kernels}
    clean, failures = dict.fromkeys(chips, 0), []
    for chip in chips:
        chosen = level or level_of(indices.start // BATCH, chip)
        try:
            wrong = pair.judge(chip, chosen)
        except twin.CompileFailure as error:
            wrong = {}
            if len(kernels) == 1:
                failures.append(Failure(kernels[0], chip, chosen, f"clang: {error}"))
                continue
            for i in indices:
                one = run_batch(seed, range(i, i + 1), [chip], chosen)
                clean[chip] += one["clean"][chip]
                failures += one["failures"]
            continue
        clean[chip] += len(kernels) - len(wrong)
        failures += [Failure(by_name[n], chip, chosen, words) for n, words in wrong.items()]
    return {"clean": clean, "failures": failures}


def command_of(seed: int, failure: Failure) -> str:
    index = failure.kernel.name[1:]
    return (
        f"python tests/fuzz/programs/campaign.py --seed {seed} --only {index}"
        f" --chips {failure.chip} --level {failure.level}"
    )


def write_failure(folder: Path, seed: int, failure: Failure, reduce: bool) -> Path:
    """The failing program, reduced, with the command that runs it again."""
    folder.mkdir(parents=True, exist_ok=True)
    kernel = failure.kernel
    if reduce and not failure.words.startswith("clang"):
        judge = fails(failure.chip, failure.level, kind_of(failure.words))
        kernel = reducer.reduce(kernel, judge)
    path = folder / f"seed{seed}-{kernel.name}-{failure.chip}-{failure.level}.cpp"
    words = "".join(f"// {line}\n" for line in failure.words.splitlines()[:20])
    path.write_text(f"// {command_of(seed, failure)}\n{words}{generator.source_of([kernel])}")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=160)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--only", type=int)
    parser.add_argument("--chips", default=",".join(twin.CHIPS))
    parser.add_argument("--level", help="O0 to O3 for all, instead of each in turn")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--state", type=Path, help="a JSON file that remembers how far a seed came")
    parser.add_argument("--failures", type=Path, default=Path("fuzz-failures"))
    parser.add_argument("--no-reduce", action="store_true")
    arguments = parser.parse_args()
    chips = arguments.chips.split(",")
    first, last = arguments.start, arguments.start + arguments.programs
    if arguments.only is not None:
        first, last = arguments.only, arguments.only + 1
    state = {"next": first, "clean": dict.fromkeys(chips, 0), "failed": []}
    if arguments.state and arguments.state.exists():
        state = json.loads(arguments.state.read_text())
    began = time.monotonic()
    while state["next"] < last:
        indices = range(state["next"], min(last, (state["next"] // BATCH + 1) * BATCH))
        outcome = run_batch(arguments.seed, indices, chips, arguments.level)
        for chip in chips:
            state["clean"][chip] += outcome["clean"][chip]
        for failure in outcome["failures"]:
            print(f"FAILED {command_of(arguments.seed, failure)}\n{failure.words}", flush=True)
            state["failed"].append([failure.kernel.name, failure.chip, failure.level])
            path = write_failure(
                arguments.failures, arguments.seed, failure, not arguments.no_reduce
            )
            print(f"  reduced: {path}", flush=True)
        state["next"] = indices.stop
        if arguments.state:
            arguments.state.write_text(json.dumps(state))
        if arguments.seconds and time.monotonic() - began > arguments.seconds:
            break
    seconds = time.monotonic() - began
    done = sum(state["clean"].values())
    print(f"seed {arguments.seed}, programs up to {state['next']}, {seconds:.0f} s this time")
    for chip in chips:
        print(f"  {chip}: {state['clean'][chip]} clean")
    print(f"  {len(state['failed'])} failed; {done} runs in all")
    return 1 if state["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
