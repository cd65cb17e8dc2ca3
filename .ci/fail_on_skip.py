"""pytest plugin of `.ci/run`: what a laptop may skip must run here.

Loaded with `-p fail_on_skip`; a skipped test fails with the reason of its skip.
"""

from collections.abc import Generator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, Any, Any]:
    """Turn a skip into a failure."""
    report = yield
    if report.skipped:
        reason = report.longrepr[2] if report.longrepr else "no reason"
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which CI forbids: {reason}"
    return report
