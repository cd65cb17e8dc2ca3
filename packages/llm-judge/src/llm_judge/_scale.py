"""The values a verdict may take."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["Label", "LabelScale", "NumberScale", "Scale"]

_FROZEN = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class NumberScale(BaseModel):
    """A number from `minimum` to `maximum`, both included."""

    model_config = _FROZEN

    kind: Literal["number"] = "number"
    minimum: float
    maximum: float

    @model_validator(mode="after")
    def _check_bounds(self) -> Self:
        if self.minimum >= self.maximum:
            msg = f"minimum {self.minimum:g} must be below maximum {self.maximum:g}"
            raise ValueError(msg)
        return self

    def describe(self) -> str:
        """Say which values are allowed.

        >>> NumberScale(minimum=0, maximum=100).describe()
        'a number from 0 to 100'
        """
        return f"a number from {self.minimum:g} to {self.maximum:g}"


class Label(BaseModel):
    """One word the judge may choose, its score, and other words for the same."""

    model_config = _FROZEN

    score: float
    aliases: tuple[str, ...] = ()


class LabelScale(BaseModel):
    """A closed set of labels, each worth a fixed score."""

    model_config = _FROZEN

    kind: Literal["labels"] = "labels"
    labels: dict[str, Label] = Field(min_length=2)

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        seen: set[str] = set()
        for name, label in self.labels.items():
            for word in (name, *label.aliases):
                folded = _fold(word)
                if not folded or folded in seen:
                    msg = f"label or alias {word!r} is empty or stands there twice"
                    raise ValueError(msg)
                seen.add(folded)
        return self

    def find(self, text: str) -> str | None:
        """Return the label that `text` is, by name or alias, or None.

        The whole text has to match; case, outer punctuation and runs of space do not
        count.

        >>> bad = Label(score=0, aliases=("not good",))
        >>> scale = LabelScale(labels={"GOOD": Label(score=1), "BAD": bad})
        >>> scale.find("**good**"), scale.find("Not  good."), scale.find("goodish")
        ('GOOD', 'BAD', None)
        """
        folded = _fold(text)
        for name, label in self.labels.items():
            if folded in {_fold(word) for word in (name, *label.aliases)}:
                return name
        return None

    def describe(self) -> str:
        """Say which values are allowed.

        >>> good, bad = Label(score=1), Label(score=0)
        >>> LabelScale(labels={"GOOD": good, "BAD": bad}).describe()
        'one of GOOD, BAD'
        """
        return "one of " + ", ".join(self.labels)


Scale = Annotated[NumberScale | LabelScale, Field(discriminator="kind")]


def _fold(text: str) -> str:
    return " ".join(text.strip(" \t\r\n*_#>`\"'.!").casefold().split())
