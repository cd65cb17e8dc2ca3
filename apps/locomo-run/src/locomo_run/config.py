"""The configuration of a run, and the layers it comes from.

Later layers win: recipe, configuration file (`--config`), environment
(`LOCOMO_RUN_...`), option on the command line.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib.resources import files
from itertools import takewhile
from pathlib import Path

from locomo_run.claude_mem.options import ClaudeMemOptions
from locomo_run.errors import UsageError
from locomo_run.ledger.entry import Json
from locomo_run.selection import Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerOptions:
    """Who answers."""

    answerer: str = "extractive"
    """`extractive`, or the name of a model."""
    temperature: float | None = 0.0
    """None leaves it to the endpoint."""
    max_tokens: int = 256
    runs: int = 1
    """How often each question is answered."""
    hints: bool = False
    """Whether the answerer is told what the gold category means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """Who judges, and how often."""

    model: str | None = None
    """None for token F1 only; empty if a recipe leaves the choice to the user."""
    protocols: tuple[str, ...] = ("graded",)
    """Names of built-in protocols, or paths of TOML files."""
    runs: int = 10
    extra: int = 0
    """Runs beyond those for the questions whose first ones differ."""
    refusals: bool = False
    """Whether answers to adversarial questions are judged too, for refusals."""
    temperature: float | None = 0.5
    """None leaves it to the endpoint."""
    max_tokens: int = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """How models are called, and what that may cost."""

    in_flight: int = 3
    """Calls at once."""
    call_timeout: float = 120.0
    """Seconds that one call may take."""
    retry_minutes: float = 10.0
    """How long one entry is tried for."""
    retry_failed: bool = False
    """Whether to ask again what ended unusable or refused."""
    max_cost: float | None = None
    """Dollars; None for no cap."""
    prices: Path | None = None
    """A price table that wins over the one that comes with the program."""
    batch: bool = False
    """Whether models are asked through message batches."""
    batch_size: int = 1000
    """The most requests in one batch."""
    batch_poll: float = 30.0
    """Seconds between two looks at the batches in flight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig:
    """Everything a run is told."""

    recipe: str
    dataset: str
    """Path or name of the data set."""
    memory: str
    answering: AnswerOptions
    judging: JudgeOptions
    calls: CallOptions
    search_limit: int
    """Hits asked of the memory for each question."""
    context_chars: int
    """Budget of the context in characters, for memories that are bounded."""
    neighbours: int
    """Turns around a hit that come along, for the embedded memory."""
    headline: str
    """The F1 profile that is shown first and while the run goes on."""
    error_budget: float
    """Largest share of failed questions of a valid run."""
    selection: Selection
    claude_mem: ClaudeMemOptions = field(default_factory=ClaudeMemOptions)
    """For the memory claude-mem."""
    out: Path | None = None
    """Run directory; None for `runs/<recipe>-<hash of the identity>`."""


OFFLINE = "offline"
"""The recipe that costs nothing, needs nothing and is the default."""


def recipe_names() -> tuple[str, ...]:
    """Return the names of the recipes that come with the program."""
    folder = files("locomo_run") / "recipes"
    return tuple(
        sorted(
            entry.name.removesuffix(".toml")
            for entry in folder.iterdir()
            if entry.name.endswith(".toml")
        )
    )


def load_recipe(name: str) -> dict[str, Json]:
    """Return the settings of a recipe; what it leaves open is as in the default one.

    Raises:
        UsageError: there is no such recipe.
    """
    return {**tomllib.loads(_recipe(OFFLINE)), **tomllib.loads(_recipe(name))}


def recipe_notes(name: str) -> tuple[str, ...]:
    """Return the comment at the head of a recipe, line by line.

    Raises:
        UsageError: there is no such recipe.
    """
    lines = takewhile(lambda line: line.startswith("#"), _recipe(name).splitlines())
    return tuple(line.removeprefix("#").removeprefix(" ") for line in lines)


def _recipe(name: str) -> str:
    if name not in recipe_names():
        raise UsageError(f"no recipe {name!r}; there is {', '.join(recipe_names())}")
    return (files("locomo_run") / "recipes" / f"{name}.toml").read_text("utf-8")


def load_config_file(
    path: Path, known: Collection[str], lists: Collection[str]
) -> dict[str, Json]:
    """Return the settings of a TOML file, whose keys are option names.

    Args:
        path: The file.
        known: The settings that the command has, by name (`search_limit`).
        lists: Those of them that take a list.

    Raises:
        UsageError: it cannot be read, is not TOML, or sets something unknown.
    """
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 ({error.reason})") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    settings = {name.replace("-", "_"): value for name, value in settings.items()}
    for name, value in settings.items():
        if name not in known:
            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise UsageError(
                f"{path}: no setting {name!r}; {hint}the names are those of the "
                "options that `locomo-run run --help` lists"
            )
        _check_value(path, name, value)
        if isinstance(value, list) != (name in lists):
            wanted = 'a list, such as ["a"]' if name in lists else "one value"
            raise UsageError(f"{path}: {name} takes {wanted}")
    return settings


def _check_value(path: Path, name: str, value: object) -> None:
    """Refuse what no option takes."""
    values = value if isinstance(value, list) else [value]
    for each in values:
        if not isinstance(each, str | int | float | bool):
            raise UsageError(
                f"{path}: {name} is {type(each).__name__}, which is no text, number, "
                "true or false"
            )
        if isinstance(each, str) and "\0" in each:
            raise UsageError(f"{path}: {name} holds a null character")
