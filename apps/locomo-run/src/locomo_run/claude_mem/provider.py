"""What a worker tells of its model: which it is, and whether it may be asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from cmem_client import Cooldown, Health

from locomo_run.claude_mem.checks import Check, failed, passed, warned
from locomo_run.claude_mem.plain import plain
from locomo_run.claude_mem.settings import TOLERANCE, WorkerSettings, end_of

CLAUDE = "claude"
"""The provider whose windows a worker counts."""

MEND = (
    "wait, or stop the worker, mend the quota, delete quota-cooldown.json and "
    "observer-health.json in its data directory, and start it"
)


def check_model(health: Health, settings: WorkerSettings | None) -> Check:
    """Check which model the worker asks, and how its last call went."""
    provider = health.ai.provider if health.ai else None
    model = settings.model if settings else None
    shown = f"provider {provider or 'unknown'}, model {model or 'not told'}"
    wanted = settings.provider if settings else None
    last = health.ai.last_interaction if health.ai else None
    if wanted and provider and wanted != provider:
        return warned(
            "model",
            f"{shown}, but its settings name {wanted}",
            "the worker falls back to another provider when a key is missing",
        )
    if last and last.success is False:
        return warned(
            "model",
            f"{shown}; its last call failed: {plain(last.error or 'no reason told')}",
            "check the model, its key and its address; the canary calls it",
        )
    if health.dependencies and health.dependencies.degraded:
        return warned(
            "model",
            f"{shown}; the worker says that tools it needs are missing",
            "look at dependencies in /api/health",
        )
    return passed("model", shown)


def check_quota(
    health: Health,
    settings: WorkerSettings | None,
    cooldown: Cooldown | None,
    now: datetime,
) -> Iterator[Check]:
    """Check whether the worker may call its model; nothing where all is well.

    Args:
        health: What the worker tells.
        settings: What its files tell, where they can be read.
        cooldown: What its log tells otherwise.
        now: The time.
    """
    end = settings.cooldown_until(now) if settings else None
    if end is None and cooldown is not None and _is_of(health, cooldown, now):
        end = end_of(cooldown, now)
    if end is not None:
        until = f"{end:%H:%M} UTC"
        yield failed("quota", f"used up: it calls no model until {until}", MEND)
    if (health.ai.provider if health.ai else None) not in {CLAUDE, None}:
        return
    for window, limit in health.rate_limits.items():
        if limit.resets_at is not None and limit.resets_at <= now:
            continue
        until = f" until {limit.resets_at:%d %B %H:%M} UTC" if limit.resets_at else ""
        name = plain(window, 40)
        if limit.status == "rejected" and limit.overage_status != "allowed":
            yield failed("quota", f"the window {name} is used up{until}", "wait for it")
        elif limit.status == "allowed_warning":
            yield warned(
                "quota", f"the window {name} is nearly used up{until}", "wait for it"
            )


def _is_of(health: Health, cooldown: Cooldown, now: datetime) -> bool:
    """Tell whether the process that answers wrote that, not one before it."""
    if health.uptime is None:
        return True
    return cooldown.told >= now - timedelta(seconds=health.uptime) - TOLERANCE
