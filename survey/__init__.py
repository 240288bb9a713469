"""An executable survey: reinforcement learning for teams of LLM agents, through orchestration traces.

Three wings: ``survey.literature`` (a tagged BibTeX pool and what can be counted
from it), ``survey.traces`` (orchestration traces) and ``survey.site`` (the pages).
This module imports none of them, so that each can be used without the others.
"""

__version__: str


def __getattr__(name: str) -> str:
    """The version, read on first use: importing ``importlib.metadata`` takes longer than importing a wing."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version

    return version("orchestration-survey")
