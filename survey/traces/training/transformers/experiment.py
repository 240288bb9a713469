"""The experiment: three tasks, each under broadcast and under counterfactual credit, at equal budgets of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from survey.extras import lazy
from survey.traces.training.transformers.learning import CREDITS, runs_for, train
from survey.traces.training.transformers.model import Size, parameters
from survey.traces.training.transformers.tasks import TASKS, Task
from survey.traces.training.transformers.team import Team

if TYPE_CHECKING:
    import torch
else:
    torch = lazy("torch")


@dataclass(frozen=True)
class Setting:
    """How large the transformers are, and how long they train."""

    size: Size
    base: int
    """The words of a task."""
    tokens: int
    """What an update may take."""
    updates: int
    lessons: int
    """Steps of imitation before the first update."""
    rates: tuple[float, ...]
    """The step sizes, of which each pair of task and credit gets the best."""
    seeds: int = 5
    tuning: int = 2
    """Seeds on which step sizes are compared; none of them is reported."""


SETTINGS = {
    "small": Setting(Size(32, 2, 4), 8, 1500, 60, 150, (3e-4, 1e-3, 3e-3)),
    "large": Setting(Size(256, 4, 8), 16, 8000, 120, 600, (3e-5, 1e-4, 3e-4)),
}
"""Small enough for a processor, and large enough to be worth a graphics card."""


def experiment(
    setting: Setting, device: str = "cpu", tasks: Sequence[str] = tuple(TASKS), report: Callable[[str], object] = print
) -> dict[str, Any]:
    """Train all teams; return the setting and the curves as plain data."""
    torch.set_float32_matmul_precision("high")
    began = perf_counter()
    curves: list[dict[str, Any]] = []
    sizes = {}
    for name in tasks:
        task = TASKS[name](base=setting.base)
        sizes[name] = _parameters(task, setting.size)
        for credit in CREDITS:
            started = perf_counter()
            rate = _tuned(task, credit, setting, device)
            found = _trained(task, credit, setting, [rate] * setting.seeds, range(setting.seeds), device)
            spent = perf_counter() - started
            report(f"{name}, {credit}: step {rate:g}, {found[:, -1].mean():.3f} in the end, {spent:.0f} s")
            curves += [
                {
                    "task": name,
                    "credit": credit,
                    "rate": rate,
                    "seed": seed,
                    "runs": runs_for(task, credit, setting.tokens),
                }
                | {"rewards": [round(reward, 4) for reward in own]}
                for seed, own in enumerate(found.tolist())
            ]
    return {
        "setting": asdict(setting),
        "every": EVERY,
        "parameters": sizes,
        "device": torch.cuda.get_device_name() if device == "cuda" else "processor",
        "torch": torch.__version__,
        "seconds": round(perf_counter() - began),
        "curves": curves,
    }


EVERY = 5
"""After how many updates teams are tested."""


def _tuned(task: Task, credit: str, setting: Setting, device: str) -> float:
    """Return the step size with the best mean reward over the whole training, on seeds of its own."""
    rates = [rate for rate in setting.rates for _ in range(setting.tuning)]
    seeds = [100 + seed for _ in setting.rates for seed in range(setting.tuning)]
    means = _trained(task, credit, setting, rates, seeds, device).mean(dim=1).view(-1, setting.tuning).mean(dim=1)
    return setting.rates[int(means.argmax())]


def _trained(
    task: Task, credit: str, setting: Setting, rates: Sequence[float], seeds: Sequence[int], device: str
) -> torch.Tensor:
    return train(
        task,
        credit,
        size=setting.size,
        tokens=setting.tokens,
        updates=setting.updates,
        lessons=setting.lessons,
        rates=rates,
        seeds=seeds,
        every=EVERY,
        device=device,
    )


def _parameters(task: Task, size: Size) -> dict[str, int]:
    return {agent: parameters(weights) for agent, weights in Team.new(task, size, [0]).agents.items()}
