import pytest
from eval_report import Table


def test_a_row_with_another_number_of_cells_is_refused() -> None:
    with pytest.raises(ValueError, match=r"table 'T', row 2: 1 cells for 2 columns"):
        Table(title="T", columns=("a", "b"), rows=(("1", "2"), ("3",)))


def test_a_table_needs_a_column() -> None:
    with pytest.raises(ValueError, match="has no columns"):
        Table(title="T", columns=(), rows=())


@pytest.mark.parametrize(
    ("cells", "numeric"),
    [
        (["1.5", "-2", "+3.0", "–"], True),
        (["1", ""], True),
        (["1", "other"], False),
        (["", ""], False),
        ([], False),
    ],
)
def test_a_column_is_numeric_when_every_filled_cell_starts_like_a_number(
    cells: list[str], numeric: bool
) -> None:
    table = Table(title="T", columns=("a",), rows=tuple((cell,) for cell in cells))

    assert table.is_numeric(0) is numeric
