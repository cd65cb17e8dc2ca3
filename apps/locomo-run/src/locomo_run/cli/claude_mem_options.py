"""The options of the memory claude-mem."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import click

from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.cli.options import YES
from locomo_run.cli.values import option

NAME = "claude-mem"
"""Of the memory."""

_SECONDS = click.FloatRange(min=0, min_open=True)

CLAUDE_MEM = (
    option(
        "--worker",
        metavar="HOST:PORT|URL",
        help="The claude-mem worker.  [as its environment and its files say]",
    ),
    option(
        "--namespace",
        metavar="NAME",
        help="What the worker's projects and sessions are named after.",
    ),
    option(
        "--via",
        type=click.Choice(("observation", "import")),
        help="Ingest through the worker's own compression, or import every turn word "
        "for word, without a model.",
    ),
    option(
        "--search",
        type=click.Choice(("auto", "question", "keywords")),
        help="Send the question, or one query for each of its content words; auto "
        "sends the question where the worker searches by vectors.",
    ),
    option(
        "--captions/--no-captions",
        default=None,
        help="Ingest the captions of shared images.",
    ),
    option(
        "--ingest-workers",
        type=click.IntRange(min=1),
        metavar="N",
        help="Conversations that are ingested at once.",
    ),
    option(
        "--session-posts",
        type=click.IntRange(min=1),
        metavar="N",
        help="How often a session is posted whose rows do not come.",
    ),
    option(
        "--session-timeout",
        type=_SECONDS,
        metavar="SECONDS",
        help="Longest wait for the rows of one session.",
    ),
    option(
        "--stall",
        type=_SECONDS,
        metavar="SECONDS",
        help="A worker on which nothing moves for so long counts as stuck.",
    ),
    option(
        "--poll",
        type=_SECONDS,
        metavar="SECONDS",
        help="Time between two looks at the worker.",
    ),
    option(
        "--index-timeout",
        type=_SECONDS,
        metavar="SECONDS",
        help="Longest wait for the vector index of one conversation.",
    ),
    option(
        "--reuse-memories",
        is_flag=True,
        help="Take over what another run has stored at the worker; printed in the "
        "report.",
    ),
    option(
        "--allow-incomplete",
        is_flag=True,
        help="Ask the questions although sessions are missing; printed in the report.",
    ),
    YES,
)


def claude_mem_of(ctx: click.Context) -> ClaudeMemOptions:
    """Return how claude-mem is filled and searched."""
    given = ctx.params
    return ClaudeMemOptions(
        namespace=given["namespace"],
        worker=given["worker"],
        via=given["via"],
        search=given["search"],
        captions=given["captions"],
        reuse_memories=given["reuse_memories"],
        allow_incomplete=given["allow_incomplete"],
        foreign_projects=given["yes"],
        ingest_workers=given["ingest_workers"],
        session_posts=given["session_posts"],
        session_timeout=given["session_timeout"],
        stall=given["stall"],
        poll=given["poll"],
        index_timeout=given["index_timeout"],
    )


def asked_to_go_on(options: ClaudeMemOptions) -> ClaudeMemOptions:
    """Ask, before the first post, whether a worker with other projects is meant.

    Only a terminal is asked; elsewhere the run itself refuses.

    Raises:
        RunError: the worker cannot be asked.
    """
    if options.foreign_projects or not sys.stdin.isatty():
        return options
    from cmem_client import Client

    from locomo_run.claude_mem.connect import in_our_words, locate
    from locomo_run.claude_mem.ownership import foreign_projects, foreign_warning

    connection, _ = locate(options)
    with in_our_words(), Client(connection) as client:
        foreign = foreign_projects(client.projects(), options.namespace)
    if not foreign:
        return options
    click.confirm(f"{foreign_warning(foreign)}. Go on?", abort=True, err=True)
    return replace(options, foreign_projects=True)


def may_write(options: ClaudeMemOptions, foreign: Sequence[str] | None) -> bool:
    """Tell whether to try out a worker by writing to it, and ask where that is open.

    Only a terminal is asked; elsewhere the answer is no.

    Args:
        options: Whether to write into a worker that holds other projects.
        foreign: Those projects; None if they are not known.
    """
    if options.foreign_projects or foreign == ():
        return True
    if foreign is None or not sys.stdin.isatty():
        return False
    from locomo_run.claude_mem.ownership import foreign_warning

    return click.confirm(
        f"{foreign_warning(foreign)}. Store a row in it, and the rows of one talk?",
        err=True,
    )
