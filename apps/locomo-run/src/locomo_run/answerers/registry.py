"""Answerers by name: the reader that is built in, and every model."""

from __future__ import annotations

from collections.abc import Mapping

from locomo_run.answerers import Answerer
from locomo_run.answerers.model import ModelAnswerer, describe_model
from locomo_run.answerers.reader import ReaderAnswerer
from locomo_run.calls.desk import Desk
from locomo_run.config import AnswerOptions
from locomo_run.memory import Setting

EXTRACTIVE = "extractive"


def open_answerer(options: AnswerOptions, desk: Desk) -> Answerer:
    """Open an answerer; a name that is not built in is that of a model.

    Raises:
        RunError: the model cannot be reached as things are set up.
    """
    if options.answerer == EXTRACTIVE:
        return _extractive()
    return ModelAnswerer(desk.model(options.answerer), options, desk.purse.prices)


def describe_answerer(options: AnswerOptions) -> Mapping[str, Setting]:
    """Return the fingerprint of an answerer without opening it."""
    if options.answerer == EXTRACTIVE:
        return _extractive().describe()
    return describe_model(options)


def _extractive() -> Answerer:
    from locomo_run.answerers.extractive import ExtractiveAnswerer

    return ReaderAnswerer(ExtractiveAnswerer())
