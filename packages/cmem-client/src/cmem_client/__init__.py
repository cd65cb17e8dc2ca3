"""Timed, typed HTTP client for the claude-mem worker, sync and async.

`Client` and `AsyncClient` have the same methods.  `resolve` says where the worker is
and who said so.  `cmem_client.testing` holds a worker to test against.
"""

from ._async_client import AsyncClient
from ._client import Client
from ._connection import Connection, Source, resolve
from ._endpoints import derive_tool_use_id
from ._errors import (
    START_COMMAND,
    CmemError,
    ConnectionLost,
    ProtocolError,
    Rejected,
    RouteMissing,
    ServerError,
    SettingsError,
    StatusError,
    TimedOut,
    Unauthorized,
    WaitExpired,
    WorkerNotRunning,
)
from ._models import (
    CompleteReceipt,
    Features,
    Health,
    InitReceipt,
    MemoryReceipt,
    Observation,
    ProcessingStatus,
    QueueReceipt,
    SearchResult,
    SessionStatus,
    VectorIndex,
)
from ._records import ImportReceipt, ObservationRecord, SessionRecord
from ._waiting import Cause, Cooldown, Limit, Missing, SessionProgress, WaitReport

__all__ = [
    "START_COMMAND",
    "AsyncClient",
    "Cause",
    "Client",
    "CmemError",
    "CompleteReceipt",
    "Connection",
    "ConnectionLost",
    "Cooldown",
    "Features",
    "Health",
    "ImportReceipt",
    "InitReceipt",
    "Limit",
    "MemoryReceipt",
    "Missing",
    "Observation",
    "ObservationRecord",
    "ProcessingStatus",
    "ProtocolError",
    "QueueReceipt",
    "Rejected",
    "RouteMissing",
    "SearchResult",
    "ServerError",
    "SessionProgress",
    "SessionRecord",
    "SessionStatus",
    "SettingsError",
    "Source",
    "StatusError",
    "TimedOut",
    "Unauthorized",
    "VectorIndex",
    "WaitExpired",
    "WaitReport",
    "WorkerNotRunning",
    "derive_tool_use_id",
    "resolve",
]
