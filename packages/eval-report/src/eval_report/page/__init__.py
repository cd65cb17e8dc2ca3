"""Pages: a run, or two side by side, as one HTML file that needs nothing else.

Values go in (`Page`, `Comparison`), a string comes out. The file asks for no outside
address, runs no script but its own, and treats every text as text. Needs the extra
`html`: `pip install 'eval-report[html]'`.
"""

from eval_report.page._chart import (
    Chart,
    CountChart,
    DistributionChart,
    IntervalChart,
    Point,
)
from eval_report.page._figures import (
    category_chart,
    conversation_chart,
    difference_chart,
    verdict_chart,
)
from eval_report.page._page import Comparison, Page
from eval_report.page._question import Hit, Judgement, Metric, Question, Verdict
from eval_report.page._render import render_comparison_page, render_page

__all__ = [
    "Chart",
    "Comparison",
    "CountChart",
    "DistributionChart",
    "Hit",
    "IntervalChart",
    "Judgement",
    "Metric",
    "Page",
    "Point",
    "Question",
    "Verdict",
    "category_chart",
    "conversation_chart",
    "difference_chart",
    "render_comparison_page",
    "render_page",
    "verdict_chart",
]
