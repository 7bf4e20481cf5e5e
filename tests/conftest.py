"""Options shared by every Python test: --long runs the long ones too, --slice N a part of them."""

import zlib

import pytest

SLICES = 40  # of a size that the main job can bear beside everything else


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="also run the tests marked long")
    parser.addoption(
        "--slice", type=int, metavar="N", help="run only the long tests of slice N (0 to 39)"
    )


def pytest_collection_modifyitems(config, items):
    wanted = config.getoption("--slice")
    if wanted is not None:
        kept = [
            item
            for item in items
            if item.get_closest_marker("long")
            and zlib.crc32(item.nodeid.encode()) % SLICES == wanted % SLICES
        ]
        config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        items[:] = kept
    elif not config.getoption("--long"):
        short = [item for item in items if not item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=[item for item in items if item not in short])
        items[:] = short


def pytest_sessionfinish(session, exitstatus):
    # A slice may hold no test at all; that is no failure.
    if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and session.config.option.slice is not None:
        session.exitstatus = pytest.ExitCode.OK


def pytest_terminal_summary(terminalreporter):
    torch = [r for r in terminalreporter.stats.get("skipped", []) if "torch" in str(r.longrepr)]
    if torch:
        terminalreporter.write_line(f"{len(torch)} tests need torch and were skipped")
