import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from llm_judge import BINARY, GRADED, STRICT
from llm_judge.testing import FakeMessagesAPI
from locomo_dataset import Category
from locomo_run.comparing.comparable import Run
from locomo_run.comparing.comparison import OVERALL, Comparison, compare, one_by_one
from locomo_run.comparing.page import comparison_pages, numbered
from locomo_run.comparing.report import comparison_markdown, comparison_spec
from locomo_run.errors import UsageError
from locomo_run.ledger.store import Ledger
from locomo_run.reporting.page import page_of
from locomo_run.reporting.results import Results

Call = Callable[..., Result]
Made = Callable[..., Results]

SINGLE, MULTI = Category.SINGLE_HOP, Category.MULTI_HOP

PLACES = ("a", "a", "a", "b", "b", "c")
KINDS = (SINGLE, SINGLE, MULTI, SINGLE, MULTI, SINGLE)


@pytest.fixture
def run(judged_run: Made) -> Callable[..., Run]:
    """A run over six questions whose gold is Oslo; R stands for a right answer, w for a
    wrong one and - for none.
    """

    def make(name: str, said: str, *, judged: bool = False, **options: object) -> Run:
        answers = {"R": "Oslo", "w": "Rome", "-": None}
        marks: dict[str, Sequence[float | None]] = {"R": (1,), "w": (0,), "-": (None,)}
        rows = [
            (place, kind, "Oslo", answers[mark], marks[mark] if judged else ())
            for place, kind, mark in zip(PLACES, KINDS, said, strict=True)
        ]
        return Run(name=name, results=judged_run(rows, **options))

    return make


def test_differences_are_the_other_run_minus_the_first(
    run: Callable[..., Run],
) -> None:
    found = compare([run("old", "RwwwwR"), run("new", "RRRwww")])
    (pair,) = found.pairs
    overall = pair.parts[OVERALL]
    assert (overall.base_mean, overall.other_mean) == (2 / 6, 3 / 6)
    paired = overall.paired
    assert paired.difference == pytest.approx(1 / 6)
    assert (paired.wins, paired.losses, paired.ties) == (2, 1, 3)
    # sums by conversation 2, 0 and -1: six of the eight sign patterns reach |1|
    assert paired.sign_flip_p == 1.0
    single = pair.parts[int(SINGLE)]
    assert (single.paired.count, single.base_mean, single.other_mean) == (4, 0.5, 0.5)
    assert [*pair.parts] == [int(MULTI), int(SINGLE), OVERALL]


def test_what_one_run_has_no_score_for_takes_no_part(run: Callable[..., Run]) -> None:
    found = compare([run("old", "R-wwww"), run("new", "RRR--w")])
    overall = found.pairs[0].parts[OVERALL]
    assert overall.paired.count == 3
    assert overall.paired.unpaired == 3
    assert (overall.base_mean, overall.other_mean) == (1 / 3, 2 / 3)
    assert found.remarks == (
        "old has no answer to 1 of its answerable questions; they take no part.",
        "new has no answer to 2 of its answerable questions; they take no part.",
    )


def test_questions_are_listed_by_how_much_they_changed(
    judged_run: Made,
) -> None:
    rows = [("a", SINGLE, "Oslo harbour", said, ()) for said in ("Oslo", "x", "x")]
    other = [(*row[:3], "Oslo harbour", ()) for row in rows[:2]] + rows[2:]
    runs = [
        Run(name="old", results=judged_run(rows)),
        Run(name="new", results=judged_run(other)),
    ]
    (pair,) = compare(runs).pairs
    assert [c.base.question.id for c in pair.changes] == ["a:1", "a:0"]
    assert [c.difference for c in pair.changes] == [1, pytest.approx(1 / 3)]


def test_p_values_are_adjusted_over_categories_and_pairs(
    run: Callable[..., Run],
) -> None:
    base = run("base", "wwwwww")
    found = compare([base, run("x", "RRRRRR"), run("y", "wwRwww")])
    first, second = found.pairs
    single = first.parts[int(SINGLE)]
    assert single.paired.sign_flip_p == 0.25  # 2 of 8 patterns
    assert single.adjusted_p == 1.0  # four tests
    overall = [pair.parts[OVERALL] for pair in (first, second)]
    assert [part.paired.sign_flip_p for part in overall] == [0.25, 1.0]
    assert [part.adjusted_p for part in overall] == [0.5, 1.0]  # two tests


def test_a_judge_that_all_share_is_compared_too(run: Callable[..., Run]) -> None:
    found = compare(
        [run("old", "RwwwwR", judged=True), run("new", "RRRwww", judged=True)]
    )
    assert [pair.metric.label for pair in found.pairs] == ["F1 standard", "J binary"]
    assert found.pairs[1].parts[OVERALL].paired.difference == pytest.approx(1 / 6)


def test_a_run_without_a_judge_is_compared_by_f1_and_that_is_said(
    run: Callable[..., Run],
) -> None:
    found = compare([run("old", "RwwwwR", judged=True), run("new", "RRRwww")])
    assert [pair.metric.label for pair in found.pairs] == ["F1 standard"]
    assert found.remarks == ("J is not compared: new has not been judged.",)
    assert found.objections == ()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sha256": "cd" * 32}, f"data set: old has sha256 {'ab' * 32}, new has cd"),
        ({"model": "judge-b"}, "model:judge-b"),
        ({"protocol": STRICT}, "protocol:strict"),
    ],
)
def test_other_data_and_other_judges_are_refused_unless_forced(
    run: Callable[..., Run], options: dict[str, object], said: str
) -> None:
    runs = [
        run("old", "RwwwwR", judged=True),
        run("new", "RRRwww", judged=True, **options),
    ]
    with pytest.raises(UsageError, match="cannot be compared") as refused:
        compare(runs)
    assert said in str(refused.value)
    forced = compare(runs, force=True)
    assert len(forced.objections) == 1
    assert "MUST NOT BE COMPARED: " in comparison_markdown(forced)


def test_judges_whose_j_means_alike_are_compared_when_forced(
    run: Callable[..., Run],
) -> None:
    old = run("old", "RwwwwR", judged=True)
    other_model = run("new", "RRRwww", judged=True, model="judge-b")
    found = compare([old, other_model], force=True)
    assert [pair.metric.label for pair in found.pairs] == ["F1 standard", "J binary"]
    alike = BINARY.model_copy(update={"name": "imported-x"})
    imported = run("new", "RRRwww", judged=True, protocol=alike)
    j = compare([old, imported], force=True).pairs[1]
    assert j.parts[OVERALL].paired.difference == pytest.approx(1 / 6)


def test_judges_of_another_kind_are_never_compared(run: Callable[..., Run]) -> None:
    old = run("old", "RwwwwR", judged=True)
    strict = run("new", "RRRwww", judged=True, protocol=STRICT)
    found = compare([old, strict], force=True)
    assert [pair.metric.label for pair in found.pairs] == ["F1 standard"]
    assert found.remarks == ("J is not compared: no judge is common to all runs.",)


def test_questions_that_only_share_their_id_are_left_out(
    run: Callable[..., Run],
) -> None:
    old, new = run("old", "RwwwwR"), run("new", "RRRwww", sha256="cd" * 32)
    first, *rest = new.results.outcomes
    changed = replace(first, question=replace(first.question, gold="Oslo!"))
    results = replace(new.results, outcomes=(changed, *rest))
    found = compare([old, Run(name="new", results=results)], force=True)
    assert found.pairs[0].left_out == 1
    assert found.pairs[0].parts[OVERALL].paired.count == 5
    markdown = comparison_markdown(found)
    assert "Left out: 1 ids that name another question in the other." in markdown


def test_a_category_that_only_one_run_has_is_left_out(
    run: Callable[..., Run], judged_run: Made
) -> None:
    rows = [("a", SINGLE, "Oslo", "Oslo", ())]
    few = Run(name="few", results=judged_run(rows))
    (pair,) = compare([few, run("many", "RRRRRR")]).pairs
    assert [*pair.parts] == [int(SINGLE), OVERALL]
    assert pair.parts[OVERALL].paired.count == 1


def test_one_run_is_no_comparison(run: Callable[..., Run]) -> None:
    with pytest.raises(UsageError, match="at least two"):
        compare([run("old", "RwwwwR")])


def both(run: Callable[..., Run], **options: object) -> Comparison:
    return compare(
        [
            run("old", "RwwwwR", judged=True),
            run("new", "RRRwww", judged=True, search_limit=20, **options),
        ]
    )


def test_the_markdown_has_the_settings_and_every_figure(
    run: Callable[..., Run],
) -> None:
    lines = comparison_markdown(both(run)).splitlines()
    assert "| search.limit | 10 | 20 |" in lines
    (overall, j) = [line for line in lines if line.startswith("| overall ")]
    # differences 0, 1, 1 | 0, 0 | -1, residual sums 1.5, -1/3 and -7/6; t(2) is 4.3027
    # and 1.0607: 1/6 ± 4.3027 * sqrt(3/2 * 3.7222) / 6
    assert overall.startswith(
        "| overall | 6 | 3 | 0.333 | 0.500 | +0.167 | -1.528 to +1.861"
    )
    assert overall.endswith("| 1.0000 | 1.0000 | 2 | 1 | 3 | 2.112 |")
    assert j.startswith("| overall | 6 | 3 | 33.3 | 50.0 | +16.7 | -152.8 to +186.1")
    assert "| a:1 | single-hop (4) | 0.000 | 1.000 | +1.000 | What of 1? |" in (
        "\n".join(lines)
    )


def test_runs_of_the_same_settings_are_said_to_be_so(run: Callable[..., Run]) -> None:
    markdown = comparison_markdown(compare([run("x", "RRRRRR"), run("y", "RRRRRR")]))
    assert "Nothing: the runs have the same settings." in markdown
    assert "Questions that changed most" not in markdown
    (overall,) = [r for r in markdown.splitlines() if r.startswith("| overall ")]
    assert overall.endswith("| 0 | 0 | 6 | n/a |")  # no spread, so nothing follows


def test_one_conversation_has_neither_interval_nor_p(judged_run: Made) -> None:
    rows = [("a", SINGLE, "Oslo", said, ()) for said in ("Oslo", "Rome")]
    runs = [Run(name=name, results=judged_run(rows)) for name in ("x", "y")]
    markdown = comparison_markdown(compare(runs))
    (overall,) = [r for r in markdown.splitlines() if r.startswith("| overall ")]
    assert overall == (
        "| overall | 2 | 1 | 0.500 | 0.500 | +0.000 "
        "| n/a | n/a | n/a | 0 | 0 | 2 | n/a |"
    )
    assert (
        "p: two-sided sign flip of the conversations' sums, "
        "n/a with fewer than two conversations." in markdown
    )
    assert "cannot fall below" not in markdown


@pytest.mark.parametrize(
    ("single", "multi", "how", "floors"),
    [
        (10, 10, "exact", "0.0020 with 10 conversations"),
        (10, 9, "exact", "0.0020 with 10 conversations, 0.0039 with 9 conversations"),
        (20, 20, "exact", "1.9e-06 with 20 conversations"),
        (21, 21, "from 99,999 drawn patterns", "1.0e-05 with 21 conversations"),
        (
            21,
            2,
            "exact up to 20 of them, from 99,999 drawn patterns above",
            "1.0e-05 with 21 conversations, 0.5000 with 2 conversations",
        ),
        (
            3,
            1,
            "exact, n/a with fewer than two conversations",
            "0.2500 with 3 conversations",
        ),
    ],
)
def test_the_notes_say_of_every_row_where_its_p_comes_from(
    judged_run: Made, single: int, multi: int, how: str, floors: str
) -> None:
    rows = [
        (f"c{place}", kind, "Oslo", "Oslo", ())
        for kind, places in ((SINGLE, single), (MULTI, multi))
        for place in range(places)
    ]
    other = [(*row[:3], "Bergen", ()) for row in rows]

    found = compare(
        [
            Run(name="old", results=judged_run(rows)),
            Run(name="new", results=judged_run(other)),
        ]
    )

    lines = comparison_markdown(found).splitlines()
    said = f"p: two-sided sign flip of the conversations' sums, {how}."
    assert [line for line in lines if said in line]
    assert [line for line in lines if f"p cannot fall below {floors}." in line]
    for name, places in (("single-hop (4)", single), ("multi-hop (1)", multi)):
        assert [
            line
            for line in lines
            if line.startswith(f"| {name} | {places} | {places} |")
        ]


def test_texts_can_be_left_out_and_long_ones_are_cut(judged_run: Made) -> None:
    rows = [("a", SINGLE, "Oslo", said, ()) for said in ("x" * 161, "y" * 160)]
    right = [(*row[:3], "Oslo", ()) for row in rows]
    runs = [
        Run(name="old", results=judged_run(rows)),
        Run(name="new", results=judged_run(right)),
    ]
    found = compare(runs)
    shown = comparison_markdown(found)
    assert "x" * 159 + "…" in shown
    assert "y" * 160 in shown
    hidden = comparison_markdown(found, text=False)
    assert "What of" not in hidden
    assert "| a:0 |" in hidden
    assert "What of" not in json.dumps(comparison_spec(found, text=False))
    assert "| a:0 |" not in comparison_markdown(found, changes=0)


def test_the_values_say_the_same(run: Callable[..., Run]) -> None:
    spec = comparison_spec(both(run), changes=1)
    assert json.loads(json.dumps(spec)) == spec
    pairs = spec["pairs"]
    assert isinstance(pairs, list)
    f1, j = pairs
    assert (f1["metric"], f1["other"]) == ("f1:standard", "new")
    assert f1["differences"]["overall"]["difference"] == pytest.approx(1 / 6)
    assert f1["differences"]["multi-hop"]["wins"] == 1
    clusters = {name: row["clusters"] for name, row in f1["differences"].items()}
    assert clusters == {"multi-hop": 2, "single-hop": 3, "overall": 3}
    assert f1["changed"] == 3
    assert f1["changed_most"] == [
        {
            "id": "a:1",
            "category": "single-hop",
            "question": "What of 1?",
            "base_score": 0,
            "other_score": 1,
            "difference": 1,
            "gold": "Oslo",
            "base_prediction": "Rome",
            "other_prediction": "Oslo",
        }
    ]
    assert j["metric"].startswith("protocol:binary")


def test_a_graded_judge_is_printed_in_points(judged_run: Made) -> None:
    runs = []
    for name, scores in (("x", (40, 60)), ("y", (50, 90))):
        rows = [("a", SINGLE, "Oslo", "Oslo", scores)]
        results = judged_run(rows, protocol=GRADED)
        runs.append(Run(name=name, results=results))
    markdown = comparison_markdown(compare(runs))
    assert "| overall | 1 | 1 | 50.0 | 70.0 | +20.0 |" in markdown


@pytest.fixture
def two(call: Call, endpoint: Callable[..., FakeMessagesAPI]) -> tuple[str, str]:
    """Two judged runs that differ in their search limit."""
    endpoint()
    for name, limit in (("wide", 10), ("narrow", 1)):
        done = call(
            *("run", "--out", name, "--quiet", "--yes", "--search-limit", limit),
            *("--per-category", "2", "--judge", "claude-haiku-4-5"),
            *("--judge-runs", "1"),
        )
        assert done.exit_code == 0, done.output
    return "wide", "narrow"


def test_the_command_prints_markdown_or_values(
    call: Call, two: tuple[str, str]
) -> None:
    said = call("compare", *two)
    assert said.exit_code == 0
    assert said.stdout.startswith("# Comparison of runs\n")
    assert "## F1 locomo: narrow minus wide" in said.stdout
    assert "## J graded: narrow minus wide" in said.stdout
    spec = json.loads(call("compare", *two, "--json", "--profile", "mem0").stdout)
    assert [pair["metric"][:8] for pair in spec["pairs"]] == ["f1:mem0", "protocol"]
    assert "What " not in call("compare", *two, "--no-text").stdout.replace(
        "## What is compared", ""
    ).replace("What differs between the runs", "")


def test_the_command_writes_two_runs_as_a_page(
    call: Call, folder: Path, two: tuple[str, str]
) -> None:
    said = call("compare", *two, "--html", "page.html")
    assert said.exit_code == 0, said.output
    page = (folder / "page.html").read_text("utf-8")
    assert "<h1>narrow minus wide</h1>" in page
    for metric in ("F1 locomo", "J graded"):
        assert f">{metric}: narrow minus wide</h2>" in page


def test_the_command_writes_a_page_for_each_run_beside_the_first(
    call: Call, folder: Path, two: tuple[str, str]
) -> None:
    shutil.copytree(folder / "narrow", folder / "again")
    said = call("compare", *two, "again", "--html", "diff.html")
    assert said.exit_code == 0, said.output
    assert said.stderr.splitlines() == ["page: diff.html", "page: diff-2.html"]
    for file, other, absent in (
        ("diff.html", "narrow", "again"),
        ("diff-2.html", "again", "narrow"),
    ):
        page = (folder / file).read_text("utf-8")
        assert f"<h1>{other} minus wide</h1>" in page
        assert f">J graded: {other} minus wide</h2>" in page
        assert f"{absent} minus wide" not in page
        assert "wide is compared with 2 runs, each on a page of its own" in page


def test_further_pages_are_numbered_before_the_suffix() -> None:
    paths = [numbered(Path("out/a.b.html"), number) for number in (1, 2, 3)]
    assert paths == [
        Path("out/a.b.html"),
        Path("out/a.b-2.html"),
        Path("out/a.b-3.html"),
    ]
    assert numbered(Path("page"), 2) == Path("page-2")


def test_a_part_of_a_comparison_says_what_concerns_its_two_runs(
    run: Callable[..., Run],
) -> None:
    base = run("base", "wwwwww", judged=True)
    whole = compare(
        [base, run("x", "RRRRRR", sha256="cd" * 32), run("y", "wwRww-", judged=True)],
        force=True,
    )
    first, second = one_by_one(whole)
    no_judge = "J is not compared: x has not been judged."
    holm = (
        "base is compared with 2 runs, each on a page of its own; "
        "Holm's p is adjusted for all of them."
    )
    assert [other.name for other in first.others] == ["x"]
    assert first.objections == (
        f"data set: base has sha256 {'ab' * 32}, x has {'cd' * 32}",
    )
    assert first.remarks == (no_judge, holm)
    assert second.objections == ()
    assert second.remarks == (
        "y has no answer to 1 of its answerable questions; they take no part.",
        no_judge,
        holm,
    )
    assert (*first.pairs, *second.pairs) == whole.pairs
    # 2 of 8 patterns, and the other p of the two is 1
    assert first.pairs[0].parts[OVERALL].adjusted_p == 0.5


def test_a_comparison_of_two_runs_is_its_own_only_part(run: Callable[..., Run]) -> None:
    found = compare([run("old", "RwwwwR"), run("new", "RRRwww")])
    assert one_by_one(found) == (found,)


def test_a_page_of_two_data_sets_is_refused(run: Callable[..., Run]) -> None:
    runs = [run("old", "RwwwwR"), run("new", "RRRwww", sha256="cd" * 32)]
    first, *rest = runs[1].results.outcomes
    other = replace(first, question=replace(first.question, gold="Oslo!"))
    results = replace(runs[1].results, outcomes=(other, *rest))
    runs[1] = Run(name="new", results=results)
    with Ledger.blank() as ledger:
        pages = {each.name: page_of(each.results, ledger) for each in runs}
    with pytest.raises(UsageError, match="cannot show new beside old: a:0"):
        comparison_pages(compare(runs, force=True), pages)


def test_the_command_tells_folders_of_one_name_apart(
    call: Call, folder: Path, two: tuple[str, str]
) -> None:
    (folder / "other").mkdir()
    (folder / "narrow").rename(folder / "other/wide")
    said = call("compare", "wide", "other/wide")
    assert "## F1 locomo: other/wide minus wide" in said.stdout


def test_the_command_refuses_with_the_reasons(call: Call, two: tuple[str, str]) -> None:
    call(
        *("run", "--out", "third", "--quiet", "--yes", "--per-category", "2"),
        *("--judge", "claude-opus-4-6", "--judge-runs", "1"),
    )
    refused = call("compare", "wide", "third")
    assert refused.exit_code == 2
    assert "judge: wide was judged by protocol:graded" in refused.output
    assert call("compare", "wide", "third", "--force").exit_code == 0
    assert call("compare", "wide").exit_code == 2


def test_the_page_names_every_judge_of_both_runs(
    call: Call, folder: Path, two: tuple[str, str]
) -> None:
    call(
        *("judge", "narrow", "--judge", "claude-opus-4-6", "--judge-runs", "1"),
        *("--quiet", "--yes"),
    )
    assert call("compare", *two, "--html", "page.html").exit_code == 0
    page = (folder / "page.html").read_text("utf-8")
    rows = re.findall(r'<tr.*<th scope="row">judge</th>.*</tr>', page)
    models = [re.findall(r"model:([\w-]+)|(not named)", row) for row in rows]
    assert models == [
        [("claude-haiku-4-5", ""), ("claude-haiku-4-5", "")],
        [("claude-opus-4-6", ""), ("", "not named")],
    ]
