"""What a fake endpoint answers when all goes well."""

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

__all__ = ["FakeModel", "FakeReply", "FakeRequest", "default_reply"]

_TOKEN = 4
"""Characters that count as one token."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeModel:
    """A model that a fake endpoint knows."""

    id: str
    takes_temperature: bool = True
    takes_schema: bool = True
    lifecycle: str = "active"
    retires_at: str | None = None
    max_input_tokens: int = 1_000_000
    max_tokens: int = 128_000

    def to_body(self) -> dict[str, Any]:
        """Return the description that the look-up gives."""
        return {
            "type": "model",
            "id": self.id,
            "display_name": self.id,
            "created_at": "2026-01-01T00:00:00Z",
            "lifecycle": self.lifecycle,
            "retires_at": self.retires_at,
            "max_input_tokens": self.max_input_tokens,
            "max_tokens": self.max_tokens,
            "capabilities": {"structured_outputs": {"supported": self.takes_schema}},
        }


@dataclass(frozen=True, slots=True)
class FakeRequest:
    """A request for a message, as a reply function sees it."""

    body: dict[str, Any]
    repeat: int = 0
    """How often a request with this very body came before."""

    @property
    def model(self) -> str:
        """The name of the model."""
        return str(self.body["model"])

    @property
    def system(self) -> str:
        """The system prompt, empty if there is none."""
        return _flatten(self.body.get("system", ""))

    @property
    def user(self) -> str:
        """The text of all messages."""
        return "\n".join(_flatten(each["content"]) for each in self.body["messages"])

    @property
    def sha256(self) -> str:
        """Hash of the body."""
        content = json.dumps(self.body, sort_keys=True)
        return hashlib.sha256(content.encode("utf-8")).hexdigest()

    @property
    def input_tokens(self) -> int:
        """An estimate: four characters are a token."""
        return 1 + (len(self.system) + len(self.user)) // _TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeReply:
    """What a reply function returns if a text alone will not do."""

    text: str = ""
    stop_reason: str = "end_turn"
    input_tokens: int | None = None
    """None is an estimate."""
    output_tokens: int | None = None
    raw: dict[str, Any] | None = None
    """Sent in place of a message, and counted as one."""

    def to_body(self, request: FakeRequest) -> dict[str, Any]:
        """Return the message, cut where it exceeds `max_tokens`."""
        if self.raw is not None:
            return self.raw
        text, stop_reason = self.text, self.stop_reason
        limit = request.body["max_tokens"] * _TOKEN
        if len(text) > limit:
            text, stop_reason = text[:limit], "max_tokens"
        return {
            "id": f"msg_{request.sha256[:16]}_{request.repeat}",
            "type": "message",
            "role": "assistant",
            "model": request.model,
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": stop_reason,
            "stop_sequence": None,
            "usage": {
                "input_tokens": (
                    request.input_tokens
                    if self.input_tokens is None
                    else self.input_tokens
                ),
                "output_tokens": (
                    -(-len(text) // _TOKEN)
                    if self.output_tokens is None
                    else self.output_tokens
                ),
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
            },
        }


def default_reply(request: FakeRequest) -> str:
    """Judge by word overlap where the prompt asks for that, else name the request.

    A prompt with a `<reference_answer>` and a `<predicted_answer>`, such as one of the
    built-in protocols, gets a JSON object: with the key `label` if the system prompt
    names it, else with the key `score` from 0 to 100.
    Any other prompt gets `fake reply` and the start of the hash of its body.

    >>> judged = FakeRequest({
    ...     "messages": [{"role": "user", "content":
    ...     "<reference_answer>a cat</reference_answer>"
    ...     "<predicted_answer>the cat</predicted_answer>"}],
    ... })
    >>> default_reply(judged)
    '{"explanation": "Half of the words agree.", "score": 50}'
    """
    gold = _between(request.user, "reference_answer")
    prediction = _between(request.user, "predicted_answer")
    if gold is None or prediction is None:
        return f"fake reply {request.sha256[:12]}"
    share = _overlap(gold, prediction)
    amount = "Most" if share > 0.5 else "Half" if share == 0.5 else "Few"
    verdict: dict[str, str | int] = {"explanation": f"{amount} of the words agree."}
    if '"label"' in request.system:
        verdict["label"] = "CORRECT" if share >= 0.5 else "WRONG"
    else:
        verdict["score"] = round(100 * share)
    return json.dumps(verdict)


def _between(text: str, tag: str) -> str | None:
    found = re.search(rf"<{tag}>(.*)</{tag}>", text, re.DOTALL)
    return found[1] if found else None


def _overlap(gold: str, prediction: str) -> float:
    left = Counter(_WORD.findall(gold.casefold()))
    right = Counter(_WORD.findall(prediction.casefold()))
    both = left.total() + right.total()
    return 2 * (left & right).total() / both if both else 1.0


def _flatten(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(
        str(block.get("text", "")) for block in blocks if isinstance(block, dict)
    )
