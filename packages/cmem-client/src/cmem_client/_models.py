"""What the worker answers, as frozen values.

Unknown keys are ignored and keys that only some versions send may be absent (`None`).
Everything that writes or searches carries `latency_ms`, measured from the start of the
request until the body was read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue
from pydantic.alias_generators import to_camel


class Value(BaseModel):
    """A frozen value whose fields the worker spells in camelCase."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", alias_generator=to_camel, populate_by_name=True
    )


class Timed(Value):
    """A value with the duration of the request behind it."""

    latency_ms: float
    """Milliseconds from the start of the request until its body was read."""


def _object_or_none(value: object) -> object:
    """Leave out what is no object: a detail must not spoil the whole answer."""
    return value if isinstance(value, dict) else None


def _objects(value: object) -> object:
    """Keep the objects of an object."""
    items = value.items() if isinstance(value, dict) else ()
    return {name: each for name, each in items if isinstance(each, dict)}


def _text(value: object) -> object:
    return value if isinstance(value, str | None) else json.dumps(value)


def _moment(value: object) -> object:
    """Read seconds or milliseconds since 1970; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    seconds = value / 1000 if value > _LAST_SECOND else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


_LAST_SECOND = 100_000_000_000
"""A larger number of seconds would be after the year 5000: it is milliseconds."""

Text = Annotated[str | None, BeforeValidator(_text)]
Moment = Annotated[datetime | None, BeforeValidator(_moment)]


class Interaction(Value):
    """How a call of the model went."""

    success: JsonValue = None
    error: Text = None


class Assistant(Value):
    """The model behind the worker, as far as it tells."""

    provider: str | None = None
    last_interaction: Annotated[
        Interaction | None, BeforeValidator(_object_or_none)
    ] = None
    """The last call of the model; None where the worker does not tell."""


class RateLimit(Value):
    """What the provider `claude` said of one of its windows."""

    status: Text = None
    """`allowed`, `allowed_warning` or `rejected`."""
    resets_at: Moment = None
    overage_status: Text = None
    """The same for what is paid beyond the window."""


class Dependencies(Value):
    """The worker's view of the tools it needs."""

    degraded: bool = False


class Health(Value):
    """`GET /api/health`.

    A healthy worker may still store nothing: only rows prove that it works.
    """

    status: str
    version: str | None = None
    pid: int | None = None
    uptime: float | None = None
    """Of the process; seconds in recent workers, milliseconds in old ones."""
    initialized: bool | None = None
    """False while the worker is starting."""
    mcp_ready: bool | None = None
    ai: Assistant | None = None
    dependencies: Dependencies | None = None
    rate_limits: Annotated[Mapping[str, RateLimit], BeforeValidator(_objects)] = {}
    """By the name of the window; empty unless the provider is `claude`."""


class VectorIndex(Value):
    """`GET /api/chroma/status`: which engine serves searches.

    Without a healthy index a query is matched as one phrase, or not at all.
    """

    status: str
    """`healthy`, `unhealthy` or `disabled`."""
    connected: bool = False
    details: str | None = None

    @property
    def healthy(self) -> bool:
        """Whether searches go through the vector index."""
        return self.connected and self.status == "healthy"


class Features(Value):
    """Routes that only some versions have, found by asking for them."""

    complete_session: bool
    session_status: bool
    tool_uses: bool
    vector_index: bool


class ProcessingStatus(Value):
    """`GET /api/processing-status`: global, over all sessions and writers.

    Idle does not mean stored: see `Client.wait_for_processing`.
    """

    is_processing: bool
    queue_depth: int
    parked_sessions: int | None = None

    @property
    def idle(self) -> bool:
        """Whether nothing is queued or under way."""
        return not self.is_processing and self.queue_depth == 0


class SessionStatus(Value):
    """`GET /api/sessions/status`."""

    status: str
    """`active` or `not_found`."""
    session_db_id: int | None = None
    queue_length: int


class InitReceipt(Timed):
    """The answer to `init_session`."""

    session_db_id: int | None = None
    prompt_number: int | None = None
    skipped: bool = False
    """True where the worker did not take the prompt; `reason` says why."""
    reason: str | None = None
    context_injected: bool | None = None


class QueueReceipt(Timed):
    """The answer to `queue_observation`; accepted is not yet stored."""

    status: str
    reason: str | None = None
    tool_use_id: str
    """The id sent with the observation: given, or derived from its content."""

    @property
    def queued(self) -> bool:
        """Whether the worker took the observation; else `reason` says why not."""
        return self.status == "queued"


class CompleteReceipt(Timed):
    """The answer to `complete_session`."""

    status: str
    """`completed` or `skipped`."""
    session_db_id: int | None = None
    reason: str | None = None


class MemoryReceipt(Timed):
    """The answer to `save_memory`."""

    id: int
    """Of the stored row; the first row's when title and text repeat."""
    title: str | None = None
    project: str | None = None


def _strings(value: object) -> object:
    """Decode a list that is stored as JSON in a string; any other text is one item."""
    if isinstance(value, str):
        try:
            decoded: object = json.loads(value)
        except (ValueError, RecursionError):
            decoded = value
        value = decoded if isinstance(decoded, list) else [value] if value else []
    if isinstance(value, list):
        return [item if isinstance(item, str) else json.dumps(item) for item in value]
    return [] if value is None else value


Strings = Annotated[tuple[str, ...], BeforeValidator(_strings)]


class Observation(BaseModel):
    """One stored memory item, the same in lists and in search results."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int
    memory_session_id: str | None = None
    """The worker's own session id, not the `content_session_id` of the caller."""
    project: str
    merged_into_project: str | None = None
    type: str | None = None
    title: str | None = None
    subtitle: str | None = None
    narrative: str | None = None
    text: str | None = None
    facts: Strings = ()
    concepts: Strings = ()
    files_read: Strings = ()
    files_modified: Strings = ()
    prompt_number: int | None = None
    created_at: str | None = None
    """As the worker wrote it: the time of ingestion, unless imported."""
    created_at_epoch: int | None = None
    """The same in milliseconds since 1970."""

    def belongs_to(self, project: str) -> bool:
        """Whether the row is the project's own or was merged into it."""
        return project in (self.project, self.merged_into_project)


class ObservationPage(Value):
    """One page of `GET /api/observations`."""

    items: tuple[Observation, ...]
    has_more: bool


class SearchPage(Value):
    """`GET /api/search` with `format=json`."""

    observations: tuple[Observation, ...]


class SearchResult(Timed):
    """What a search found, best first; the worker gives no scores."""

    query: str
    project: str
    limit: int
    hits: tuple[Observation, ...]


class Projects(Value):
    """`GET /api/projects`."""

    projects: tuple[str, ...]


class Database(Value):
    """The store's size, as `GET /api/stats` tells it."""

    observations: int


class Stats(Value):
    """`GET /api/stats`."""

    database: Database


class Version(Value):
    """`GET /api/version`."""

    version: str


class Logs(Value):
    """`GET /api/logs`."""

    logs: str


class ToolUse(BaseModel):
    """One posted observation that carried a tool use id."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    tool_use_id: str
    observation_id: int | None = Field(default=None)
    """None until a row is stored for it, and for ever if it was dropped."""


class ToolUses(Value):
    """`GET /api/tool-uses`."""

    tool_uses: tuple[ToolUse, ...]
