"""LLM-as-a-judge with versioned protocols, careful parsing and many runs.

Build a prompt with `build_judge_prompt`, judge with `judge_answer` or
`judge_answer_runs`, read a stored reply with `parse_reply`, and learn how far to trust
the verdicts with `measure_reliability` and `measure_calibration`.
A model is any async function of the shape `Complete`;
`llm_judge.testing` has one that replays a script.
"""

from llm_judge._calibration import (
    Calibration,
    ErrorRate,
    Probe,
    ProbeItem,
    ProbeKind,
    build_probes,
    measure_calibration,
)
from llm_judge._completion import Complete, Completion, JudgeSettings, Usage
from llm_judge._errors import CompletionError, JudgeError, ProtocolError
from llm_judge._judge import judge_answer, judge_answer_runs
from llm_judge._parse import parse_reply
from llm_judge._prompt import Prompt, build_judge_prompt
from llm_judge._protocol import (
    BINARY,
    GRADED,
    STRICT,
    JudgeProtocol,
    load_protocol,
)
from llm_judge._reliability import (
    Reliability,
    krippendorff_alpha,
    measure_reliability,
)
from llm_judge._result import (
    JudgeAggregation,
    JudgeResult,
    JudgeStatus,
    aggregate_runs,
)
from llm_judge._scale import Label, LabelScale, NumberScale

__all__ = [
    "BINARY",
    "GRADED",
    "STRICT",
    "Calibration",
    "Complete",
    "Completion",
    "CompletionError",
    "ErrorRate",
    "JudgeAggregation",
    "JudgeError",
    "JudgeProtocol",
    "JudgeResult",
    "JudgeSettings",
    "JudgeStatus",
    "Label",
    "LabelScale",
    "NumberScale",
    "Probe",
    "ProbeItem",
    "ProbeKind",
    "Prompt",
    "ProtocolError",
    "Reliability",
    "Usage",
    "aggregate_runs",
    "build_judge_prompt",
    "build_probes",
    "judge_answer",
    "judge_answer_runs",
    "krippendorff_alpha",
    "load_protocol",
    "measure_calibration",
    "measure_reliability",
    "parse_reply",
]
