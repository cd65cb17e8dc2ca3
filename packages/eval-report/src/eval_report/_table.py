"""Table: titled rows of finished text, before any markup."""

from dataclasses import dataclass

_NUMBER_START = frozenset("0123456789+-−–")


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Hold a table of finished text: numbers are rounded, nothing is escaped.

    `render_markdown` and `render_text` turn it into output.

    Raises:
        ValueError: There is no column, or a row has another number of cells.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.columns:
            msg = f"table {self.title!r} has no columns"
            raise ValueError(msg)
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                msg = (
                    f"table {self.title!r}, row {number}: {len(row)} cells "
                    f"for {len(self.columns)} columns"
                )
                raise ValueError(msg)

    def is_numeric(self, column: int) -> bool:
        """Tell whether every filled cell of a column starts like a number."""
        cells = [row[column] for row in self.rows if row[column]]
        return bool(cells) and all(
            cell[0] in _NUMBER_START or cell.startswith("n/a") for cell in cells
        )
