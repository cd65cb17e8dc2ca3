"""`locomo-run dataset`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import click

from locomo_run.cli.options import JSON
from locomo_run.cli.values import option
from locomo_run.errors import RunError

DATASET = click.argument("source", metavar="[PATH|NAME]", default="locomo10")

APART = "adversarial questions take no part in J; in F1 only beside the LoCoMo paper"


@click.group
def dataset() -> None:
    """Fetch, count and check data sets."""


@dataset.command
@click.argument("name", default="locomo10", metavar="[NAME]")
@option(
    "--to",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder to put it into.  [data/ of a checkout, else the user's cache]",
)
@option("--url", metavar="URL", help="A mirror; its file must have the same checksum.")
def fetch(name: str, to: Path | None, url: str | None) -> None:
    """Download a known file and verify it: locomo10 (the default) or errata.

    LoCoMo and the audit of its golds (errata) are under CC BY-NC 4.0.
    """
    from locomo_dataset.fetch import KNOWN, Progress, Status
    from locomo_dataset.fetch import fetch as download

    from locomo_run.dataset_source import data_folder
    from locomo_run.errors import UsageError

    if name not in KNOWN:
        raise UsageError(f"no known file {name!r}; there are {', '.join(KNOWN)}")
    file = KNOWN[name] if url is None else replace(KNOWN[name], url=url)
    with click.progressbar(length=file.size, label=name, file=sys.stderr) as bar:

        def show(progress: Progress) -> None:
            if progress.status is Status.RETRYING:
                click.echo(f"\n{progress.detail}; trying again", err=True)
            bar.update(progress.received - bar.pos)

        path = download(file, to or data_folder(), progress=show)
    click.echo(f"{path}  sha256 {file.sha256}, {file.licence}")


@dataset.command
@DATASET
@JSON
def stats(source: str, *, as_json: bool) -> None:
    """Count what a data set holds (locomo10 by default)."""
    from locomo_dataset import Category
    from locomo_dataset import stats as count

    from locomo_run.dataset_source import open_dataset

    loaded = open_dataset(source)
    found = count(loaded)
    by_category = {c.label: found.by_category[c] for c in Category}
    if as_json:
        body = {
            "name": loaded.name,
            "sha256": loaded.sha256,
            "conversations": found.conversations,
            "sessions": found.sessions,
            "turns": found.turns,
            "image_turns": found.image_turns,
            "questions": found.questions,
            "questions_by_category": by_category,
            "questions_without_adversarial": found.without_adversarial,
            "questions_with_evidence": found.with_evidence,
            "note": APART,
        }
        click.echo(json.dumps(body, indent=1))
        return
    click.echo(f"{loaded.name}, sha256 {loaded.sha256}")
    for name, number in (
        ("conversations", found.conversations),
        ("sessions", found.sessions),
        ("turns", found.turns),
        ("turns with an image", found.image_turns),
        ("questions", found.questions),
    ):
        click.echo(f"{name:<24}{number:>7,}")
    for category in Category:
        if category is not Category.ADVERSARIAL:
            name = f"  {category.value} {category.label}"
            click.echo(f"{name:<24}{found.by_category[category]:>7,}")
    click.echo(f"{'  without adversarial':<24}{found.without_adversarial:>7,}")
    apart = found.by_category[Category.ADVERSARIAL]
    click.echo(f"{'  5 adversarial, apart':<24}{apart:>7,}   ({APART})")


@dataset.command
@DATASET
@option("--harmful", is_flag=True, help="Show only what is not harmless.")
@JSON
def validate(source: str, *, harmful: bool, as_json: bool) -> None:
    """List what is odd in a data set, and which of it is harmless.

    Exits with 1 if anything is not harmless.
    """
    from locomo_dataset import validate as check

    from locomo_run.dataset_source import open_dataset

    issues = check(open_dataset(source))
    shown = [issue for issue in issues if not (harmful and issue.harmless)]
    if as_json:
        body = [
            {
                "code": issue.code.value,
                "harmless": issue.harmless,
                "path": issue.path,
                "subject": issue.subject,
                "message": issue.message,
                "reason": issue.reason,
            }
            for issue in shown
        ]
        click.echo(json.dumps(body, indent=1))
    else:
        # the rarest first: they are what a reader looks for
        counts = Counter(issue.code for issue in shown)
        for code in sorted(counts, key=counts.__getitem__):
            alike = [issue for issue in shown if issue.code is code]
            grade = "harmless" if code.harmless else "HARMFUL"
            click.echo(f"{code.value}: {len(alike)}, {grade}: {code.reason}")
            for issue in alike:
                click.echo(f"  {issue.path}  {issue.subject}: {issue.message}")
    bad = sum(not issue.harmless for issue in issues)
    click.echo(f"{len(issues):,} issues, {bad:,} of them not harmless", err=True)
    if bad:
        raise RunError(f"{source}: {bad:,} issues are not harmless")
