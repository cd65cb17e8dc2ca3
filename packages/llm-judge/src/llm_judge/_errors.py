"""What this package raises.

JudgeError
├── ProtocolError     a protocol file or value that cannot be used
└── CompletionError   raised by a `Complete` whose call failed
    └── ModelError    the same with a kind to act on, see `llm_judge.anthropic`
"""

__all__ = ["CompletionError", "JudgeError", "ProtocolError"]


class JudgeError(Exception):
    """Everything this package raises on purpose."""


class ProtocolError(JudgeError):
    """A judge protocol cannot be used; the message says where and why."""


class CompletionError(JudgeError):
    """A model call failed, so there is no reply to read.

    Raise it from your own `Complete`.
    Its message becomes the reason of the failed run, which is stored and printed, so it
    must hold no key and no token.
    """
