"""What is installed, and the recipes that it scores by."""

from __future__ import annotations

from llm_judge import JudgeSettings
from qa_f1 import profiles

from locomo_run.judging.judge_run import BUILT_IN
from locomo_run.judging.refusals import refusal_judge
from locomo_run.run_directory import installed_versions
from locomo_run.scoring import ABSTAIN, signature


def version_lines() -> tuple[str, ...]:
    """Return the versions of the members and the signatures of all that is built in.

    Where two installations show the same signature, the same answers (or the same
    replies of a judge) get the same scores.

    >>> version_lines()[-2]
    'judge strict protocol:strict|version:1|sha256:fd4dc53a803b|parser:1'
    """
    protocols = (*BUILT_IN.values(), refusal_judge(JudgeSettings()).protocol)
    return (
        *(f"{member} {version}" for member, version in installed_versions().items()),
        *(f"f1 {name} {signature(name)}" for name in (*profiles.names(), ABSTAIN)),
        *(f"judge {each.name} {each.signature}" for each in protocols),
    )
