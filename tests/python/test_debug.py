"""Breakpoints, watched registers and traces, from Python and from the command line."""

import json
from pathlib import Path

import hk
import numpy as np
import pytest
import wavewright.debug
from hip_programs import wavewright as wavewright_tool
from wavewright.errors import LaunchError, UsageError

from wavewright.emulator import run_asm

HERE = Path(__file__).name

LOOP = """
    v_mov_b32 v0, 0
    s_mov_b32 s0, 3
loop:
    v_add_nc_u32 v0, v0, v1
    s_add_i32 s0, s0, -1
    s_cmp_lg_u32 s0, 0
    s_cbranch_scc1 loop
    v_mov_b32 v2, v0
"""


@hk.kernel(grid=lambda p: (hk.cdiv(p.o.cols, 64), hk.cdiv(p.o.rows, 16)))
def double(x: hk.Tensor[hk.f32], o: hk.Tensor[hk.f32]):
    idx = hk.tile_coord(0, 0, hk.arch.block_idx.y, hk.arch.block_idx.x)
    v = x[idx].load(hk.RT(hk.f32, 16, 64))
    o[idx] = v + v


def loop(**options):
    with wavewright.debug.session(**options) as session:
        result = run_asm("gfx1100", LOOP, vgpr={1: list(range(32))}, waves=2)
    return session, result


def test_break_at_a_line_of_the_text():
    session, result = loop(breaks=["<asm>:5"], dump="v0,s0,exec,scc,pc")
    events = session.events
    assert [(e.wave, e["s0"]) for e in events] == [(w, n) for w in (0, 1) for n in (3, 2, 1)]
    assert (events[1]["v0"] == np.arange(32)).all() and events[1]["exec"] == 0xFFFFFFFF
    assert events[0].kind == "break" and events[0].breakpoint == "<asm>:5"
    assert events[0].place == ("<asm>", 5, 0) and events[0].instruction.startswith("v_add_nc_u32")
    assert events[0]["pc"] == events[0].address
    assert (result.vgpr[2] == 3 * np.arange(32)).all()
    assert "break at <asm>:5" in str(events[0]) and "s0" in str(events[0])


def test_break_at_addresses():
    session, _ = loop(breaks=["<asm>+0x8"], dump="s0", wave=1)
    assert [e["s0"] for e in session.events] == [3, 2, 1]
    address = session.events[0].address
    again, _ = loop(breaks=[hex(address)], dump="s0", wave=1)
    assert [e.address for e in again.events] == [address] * 3


def test_watch_reports_each_change():
    session, _ = loop(watch="v0,s0,scc", wave=0)
    named = [
        (c.name, e.instruction.split()[0].removesuffix("_e32"))
        for e in session.events
        for c in e.changes
    ]
    assert named.count(("v0", "v_add_nc_u32")) == 3 and named.count(("s0", "s_add_i32")) == 3
    first = next(c for e in session.events for c in e.changes if c.name == "v0")
    assert first.lanes == list(range(1, 32)), "lane 0 adds nothing"
    assert (first.before == 0).all() and (first.now == np.arange(32)).all()
    assert {e.place.line for e in session.events if e.changes[0].name == "v0"} == {5}
    assert "v0" in str(session.events[1]) and "->" in str(session.events[1])


def test_watch_of_lds_belongs_to_the_wave_that_stores():
    text = "v_mov_b32 v1, s0\nds_store_b32 v2, v1\ns_waitcnt lgkmcnt(0)"
    with wavewright.debug.session(watch="lds[0:16]") as session:
        run_asm("gfx1100", text, waves=2, lds=16, sgpr={0: np.uint32([7, 9])}, exec=1)
    found = [(e.wave, e.changes[0].name, list(e.changes[0].now)) for e in session.events]
    assert found == [(0, "lds[0:1]", [7]), (1, "lds[0:1]", [9])]


def test_trace_has_every_instruction_and_what_it_wrote():
    session, result = loop(trace=True, wave=0)
    assert len(session.events) == result.statistics["wave_instructions"] / 2
    writes = [list(e.values) for e in session.events[:6]]
    assert writes == [["v0"], ["s0"], ["v0"], ["s0", "scc"], ["scc"], []]
    assert session.events[1]["s0"] == 3
    assert [e.serial for e in session.events] == sorted(e.serial for e in session.events)


def test_agprs_and_masks_have_their_names():
    text = "v_accvgpr_write_b32 a3, v1\nv_cmp_eq_u32 vcc, v1, v1\ns_mov_b64 exec, 1"
    with wavewright.debug.session(trace=True) as session:
        run_asm("gfx942", text, vgpr={1: 5})
    assert [list(e.values) for e in session.events] == [["a3"], ["vcc"], ["exec"], []]
    assert (session.events[0]["a3"] == 5).all()
    assert session.events[1]["vcc"] == (1 << 64) - 1 and session.events[2]["exec"] == 1


def test_limit_counts_the_rest():
    session, _ = loop(trace=True, limit=4)
    assert len(session.events) == 4 and session.left_out > 10


def test_callback_sees_the_wave_and_can_end_the_launch():
    seen = []

    def on_event(event):
        seen.append(event["s0"])
        return event["s0"] != 2

    with pytest.raises(LaunchError, match="stopped by its debugger"):
        loop(breaks=["<asm>:5"], dump="s0", on_event=on_event)
    assert seen == [3, 2]

    def bad(event):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        loop(trace=True, on_event=bad)


def test_hk_launches_stop_at_python_lines():
    x = np.arange(32 * 64, dtype=np.float32).reshape(32, 64)
    o = np.zeros_like(x)
    with wavewright.debug.session(trace=True, group=(0, 1, 0), limit=1 << 20) as session:
        double(x, o, device="emu:gfx1100")
    assert (o == x + x).all()
    assert {e.group for e in session.events} == {(0, 1, 0)}
    lines = sorted({e.place.line for e in session.events if e.place})
    assert all(e.place.file.endswith(HERE) for e in session.events if e.place)
    with wavewright.debug.session([f"{HERE}:{lines[-1]}"], dump="exec") as session:
        double(x, o, device="emu:gfx1100")
    assert {e.group for e in session.events} == {(0, 0, 0), (0, 1, 0)}
    plain = np.zeros_like(x)
    double(x, plain, device="emu:gfx1100")
    assert (plain == o).all()


@pytest.mark.parametrize(
    "options, message",
    [
        ({"breaks": ["<asm>:400"]}, "nearest lines with code are"),
        ({"breaks": ["other.py:4"]}, "its files are <asm>"),
        ({"breaks": ["nowhere+0x4"]}, "there is no function nowhere"),
        ({"breaks": ["<asm>+x"]}, "is no offset"),
        ({"breaks": ["<asm>+0x2"]}, "no instruction starts at"),
        ({"breaks": ["<asm>:5"], "dump": "v9x"}, "nothing that can be shown"),
        ({"breaks": ["<asm>:5"], "dump": "v0-v99"}, "has no v99: it has 8 VGPRs"),
        ({"breaks": ["<asm>:5"], "dump": "a0"}, "has 0 AGPRs"),
        ({"breaks": ["<asm>:5"], "dump": "lds[0:4]"}, "0 bytes of LDS"),
        ({"watch": "scratch[0:4]"}, "scratch"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(UsageError, match=message):
        loop(**options)


def run_tool(*arguments, status=0):
    # Line tables name this file relative to its folder.
    out, err = wavewright_tool(*arguments, status=status, cwd=Path(__file__).parent)
    return err if status else out


def test_asm_command(tmp_path):
    values = ["--vgpr", "1=1.5", "--vgpr", "v2=2.0"]
    out = run_tool("asm", "--chip", "gfx1100", "v_add_f32 v0, v1, v2", *values)
    assert "every lane 40600000 (3.5)" in out
    start = ["--sgpr", "4=u64:4294967297", "--vcc", "0xff", "--dump", "s4-s7,vcc,exec,scc"]
    text = "s_add_u32 s6, s4, s5\ns_mov_b32 s7, vcc_lo"
    document = json.loads(run_tool("asm", "--chip", "gfx942", text, *start, "--json"))
    wave = document["waves"][0]
    assert (wave["s4"], wave["s5"], wave["s6"], wave["s7"]) == (1, 1, 2, 255)
    assert wave["exec"] == (1 << 64) - 1 and wave["state"] == "ended"
    again = json.loads(run_tool("asm", "--chip", "gfx942", "--bytes", document["code"], "--json"))
    assert again["wave_instructions"] == document["wave_instructions"] == 3


def test_asm_memory_waves_and_files(tmp_path):
    array = tmp_path / "a.npy"
    np.save(array, np.arange(4, dtype=np.uint32))
    text = tmp_path / "k.s"
    text.write_text(
        "global_load_b32 v2, v[0:1], off\ns_waitcnt vmcnt(0)\n"
        "global_store_b32 v[0:1], v2, off offset:12\n"
    )
    call = ["asm", "--chip", "gfx1100", text, "--exec", 1, "--memory", f"0x1000={array}"]
    assert "k.s:3" in run_tool(*call, "--vgpr", "0=0x1004", "--memory", "0x3000=64", status=3)
    trace = ["--waves", 2, "--trace-instr", "--in-wave", 1]
    out = run_tool(*call, "--vgpr", "0=0x1000", *trace)
    assert np.load(array).tolist() == [0, 1, 2, 0]
    assert "k.s:1" in out and "(0,0,0) wave 1" in out and "(0,0,0) wave 0" not in out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["v_mov_b32 v0"], "<asm>:1: gfx1100 does not assemble: too few operands"),
        ([], "give instructions"),
        (["--bytes", "xyz"], "no even row of hexadecimal"),
        (["s_nop 0", "--vgpr", "1"], "write --vgpr 3=1.5"),
        (["s_nop 0", "--vgpr", "1=1,2"], "give one for all lanes or 32"),
        (["s_nop 0", "--vcc", "q"], "no lane mask"),
        (["s_nop 0", "--memory", "4"], "write 0x1000=file.npy"),
        (["s_nop 0", "--pc", "q"], "--pc"),
        (["s_nop 0", "--dump", "w3"], "nothing that can be shown"),
        (["s_nop 0", "--dump", "v77"], "there are 8 VGPRs"),
        (["s_nop 0", "--trace-instr", "--in-group", "a"], "--in-group"),
    ],
)
def test_asm_refusals(arguments, message):
    assert message in run_tool("asm", "--chip", "gfx1100", *arguments, status=2)


def saved(folder):
    path = folder / "double.hsaco"
    path.write_bytes(double.build(arch="gfx1100").code_object)
    return path


def test_run_command_breaks_dumps_watches_and_traces(tmp_path):
    x, o = tmp_path / "x.npy", tmp_path / "o.npy"
    np.save(x, np.arange(16 * 64, dtype=np.float32).reshape(16, 64))
    np.save(o, np.zeros((16, 64), np.float32))
    object = saved(tmp_path)
    tensor = [1, 1, 16, 64, "i64:1024", "i64:1024", "i64:64"]
    arguments = [a for p in (x, o) for v in (p, *tensor) for a in ("--arg", v)]
    launch = ["run", object, "--block", 32, *arguments]
    document = json.loads(run_tool(*launch, "--trace-instr", "--max-events", 100000, "--json"))
    assert len(document["events"]) == document["wave_instructions"]
    assert (np.load(o) == 2 * np.load(x)).all()
    store = [e for e in document["events"] if "buffer_store" in e["instruction"]][0]
    out = run_tool(*launch, "--break", f"{HERE}:{store['line']}", "--dump", "v0,s0-s1,exec")
    assert f"break at {HERE}:{store['line']}" in out and "exec" in out
    out = run_tool(*launch, "--watch", "v0", "--max-events", 1)
    assert "->" in out and "more events were left out" in out
    assert "name one with --break" in run_tool(*launch, "--dump", "v0", status=2)
    assert "nearest lines" in run_tool(*launch, "--break", f"{HERE}:1", status=2)


def test_inspect_shows_the_source_beside_the_instructions(tmp_path):
    object = saved(tmp_path)
    out = run_tool("inspect", "-d", object)
    assert f"{HERE}:" in out and "o[idx] = v + v" in out
    rows = json.loads(run_tool("inspect", "-d", object, "--json"))["kernels"][0]["disassembly"]
    assert "o[idx] = v + v" in {row.get("source") for row in rows}
