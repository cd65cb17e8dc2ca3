from collections.abc import Callable

from locomo_run.reporting.headline import headline_table
from locomo_run.reporting.results import Results

Made = Callable[..., Results]

SINGLE = 4


def test_each_score_stands_with_its_interval_and_what_has_none(
    judged_run: Made,
) -> None:
    rows = [
        ("a", SINGLE, "Oslo", "Oslo", (1.0, 0.0)),
        ("b", SINGLE, "Oslo", "Rome", (0.0, None)),
        ("b", SINGLE, "Oslo", None, ()),
    ]

    f1, j = headline_table(judged_run(rows)).rows

    # means 1 and 0, residual sums 0.5 and -0.5: 0.5 ± t(1) * sqrt(2 * 0.5) / 2, and
    # t(1) is 12.7062
    assert f1[1:] == ("50.0", "-585.3 to 685.3", "2", "1", "33.3")
    # 0.5 and 0, residuals 0.25: 0.25 ± 12.7062 * sqrt(2 * 2 * 0.25 ** 2) / 2
    assert j[1:] == ("25.0", "-292.7 to 342.7", "2", "1", "16.7")


def test_one_conversation_has_no_interval(judged_run: Made) -> None:
    rows = [("a", SINGLE, "Oslo", said, (0.5,)) for said in ("Oslo", "Rome")]

    for row in headline_table(judged_run(rows)).rows:
        assert row[1:3] == ("50.0", "n/a")


def test_nothing_scored_is_no_number(judged_run: Made) -> None:
    (f1, *_) = headline_table(judged_run([("a", SINGLE, "Oslo", None, ())])).rows

    assert f1[1:] == ("n/a", "n/a", "0", "1", "0.0")
