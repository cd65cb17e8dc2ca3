"""A model endpoint for trying things out: it says the same thing to everybody."""

from llm_judge import Complete, Completion, JudgeSettings, Prompt


def open_model(name: str) -> Complete:
    """Return a model; `parrot:no idea` says "no idea" to every prompt."""

    async def complete(prompt: Prompt, settings: JudgeSettings) -> Completion:
        return Completion(text=name, stop_reason="end_turn")

    return complete
