import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from locomo_run.reporting.report import FLOOR, markdown, remarks
from locomo_run.reporting.results import Results
from locomo_run.selection import Selection

Scored = Callable[..., Results]


def headings(text: str) -> list[str]:
    return re.findall(r"^## (.+)$", text, flags=re.MULTILINE)


def opening(text: str) -> str:
    """What stands before the first table."""
    return text.partition("\n### ")[0]


def test_a_report_sets_out_conditions_first_and_then_every_kind_of_figure(
    scored: Scored,
) -> None:
    text = markdown(scored())

    assert text.startswith("# LoCoMo evaluation\n\n## What was measured\n")
    assert headings(text) == [
        "What was measured",
        "Headline",
        "Beside published results",
        "Token F1",
        "Abstention",
        "Latency and efficiency",
        "Retrieval",
        "Where it stands",
        "Best and worst",
    ]
    assert text.endswith("\n")


def test_a_whole_run_without_failures_has_no_remarks(scored: Scored) -> None:
    assert opening(markdown(scored())) == (
        "# LoCoMo evaluation\n\n## What was measured\n"
    )


def test_figures_stand_in_the_report_as_in_the_tables(scored: Scored) -> None:
    text = markdown(scored())

    assert "| temporal (2) | 1 | 0 | 0.800 | n/a | 0.800 | 0.800 |\n" in text
    assert "| overall | 3 | 0 | 0.767 | 0.252 | 0.500 | 1.000 |\n" in text
    assert "| mem0 | 0.667 | 0.800 | 1.000 | 0.822 | 3 |\n" in text
    assert "| adversarial (5) | 1 | 1.000 |" in text
    assert "| overall | 2 | 0.750 |\n" in text


def test_a_run_without_adversarial_questions_has_no_section_on_them(
    scored: Scored,
) -> None:
    text = markdown(scored(asked=[0, 1, 2]))

    assert "Abstention" not in headings(text)
    assert "subset" not in text.partition("### Token F1 beside")[0]


def test_questions_whose_best_hit_is_too_large_to_be_read_are_counted(
    scored: Scored,
) -> None:
    whole = scored()
    unread = tuple(replace(each, hits_read=0) for each in whole.outcomes[:2])
    nothing = replace(whole.outcomes[2], hits=(), hits_read=0)

    (one,) = remarks(replace(whole, outcomes=(*unread[:1], *whole.outcomes[1:])))
    two = remarks(replace(whole, outcomes=(*unread, nothing, whole.outcomes[3])))

    assert one == (
        "NOTHING READ: for 1 question the best hit alone is larger than the context, "
        "so that none of the hits was read."
    )
    assert two[0].startswith("NOTHING READ: for 2 questions the best hit")


def test_the_first_words_of_an_incomplete_run_say_so(scored: Scored) -> None:
    text = opening(markdown(scored(missing=[0, 1])))

    assert text.splitlines()[4] == (
        "NOT COMPLETE: 2 selected questions have not been asked."
    )


def test_failed_questions_are_told(scored: Scored) -> None:
    text = opening(markdown(scored((None, "b", "c", "d"))))

    assert "1 questions failed; they are left out of the means and counted" in text


def test_a_subset_is_told(scored: Scored) -> None:
    text = opening(markdown(scored(asked=[0, 3], selections=(Selection(limit=2),))))

    assert "This is a subset, n = 1: no figure over the whole set." in text


def test_the_extractive_answerer_is_called_a_floor(scored: Scored) -> None:
    assert FLOOR in opening(markdown(scored(answerer="extractive")))
    assert FLOOR not in markdown(scored(answerer="other"))


def test_wrong_golds_have_a_table_only_with_an_audit(scored: Scored) -> None:
    title = "### With and without the known wrong golds"

    assert title in markdown(scored(wrong_golds=frozenset({"tiny:0"})))
    assert title not in markdown(scored())


HOSTILE = (
    "| x |\n\n# h <script>alert(1)</script> `c` [l](http://e.org) *b* \x1b[31m\u202e"
)


@pytest.mark.parametrize("name", ["memory", "answerer", "dataset_name"])
def test_hostile_names_cannot_leave_their_cell(scored: Scored, name: str) -> None:
    plain, hostile = markdown(scored()), markdown(scored(**{name: HOSTILE}))

    assert hostile.count("\n") == plain.count("\n")
    assert headings(hostile) == headings(plain)
    cells = re.compile(r"(?<!\\)\|")
    for old, new in zip(plain.splitlines(), hostile.splitlines(), strict=True):
        assert len(cells.findall(old)) == len(cells.findall(new))
    for active in ("<script", "`c`", " [l]", " *b*", "\x1b", "\u202e"):
        assert active not in hostile


def test_as_printed_adds_the_names_of_the_sources(scored: Scored) -> None:
    plain, as_printed = markdown(scored()), markdown(scored(), as_printed=True)

    assert headings(plain) == headings(as_printed)
    assert plain != as_printed
