"""Three tasks that a team can solve only if tokens carry what one agent knows to another.

An agent reads what it alone can see, and then the messages that it hears. Its own message has a fixed length, and may
use some of the words. Before a team learns from rewards it imitates a script: what a speaker who understands all that
it reads would say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch = lazy("torch")

World: TypeAlias = "Mapping[str, Tensor]"
"""What each agent sees, by its name, and the ``answer``: by seed, run and place."""
Messages: TypeAlias = "Mapping[int, Tensor]"
"""What was said so far, by place: by seed, run and token."""


@dataclass(frozen=True)
class Message:
    """One act: a message of one agent, of so many tokens, out of the first so many words."""

    agent: str
    hears: tuple[int, ...]
    """The places of the messages that it reads."""
    tokens: int
    words: int
    script: Callable[[World, Messages], Tensor]
    """The first token that an agent should say, for what it sees and hears; it repeats it."""


@dataclass(frozen=True)
class Task:
    """A task of a team. The last message is the answer, and pays 1 if it is right."""

    title: str
    words: int
    messages: tuple[Message, ...]
    draw: Callable[[tuple[int, int], torch.Generator], World]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents in the order in which they first speak."""
        return tuple(dict.fromkeys(message.agent for message in self.messages))

    def hearing(self, changed: int) -> tuple[int, ...]:
        """Return the messages that hear of a change of one: a rerun asks for these again, and for no others."""
        heard = {changed}
        for place, message in enumerate(self.messages):
            if not heard.isdisjoint(message.hears):
                heard.add(place)
        return tuple(sorted(heard - {changed}))

    def tokens(self, places: Sequence[int] | None = None) -> int:
        """Return how many tokens these messages take, or a whole run."""
        return sum(self.messages[place].tokens for place in (range(len(self.messages)) if places is None else places))

    def reward(self, world: World, last: Tensor) -> Tensor:
        """Return 1 where the last message is the answer, else 0."""
        return (last == world["answer"]).all(dim=-1).float()


def _any(high: int, shape: tuple[int, ...], chance: torch.Generator) -> Tensor:
    return torch.randint(high, shape, generator=chance, device=chance.device)


def divide_and_add(base: int = 8) -> Task:
    """Each of two workers sees two digits; the lead, who sees nothing, answers with the last digit of their sum."""

    def draw(shape: tuple[int, int], chance: torch.Generator) -> World:
        digits = _any(base, (*shape, 4), chance)
        return {
            "left": digits[..., :2],
            "right": digits[..., 2:],
            "lead": digits[..., :0],
            "answer": digits.sum(dim=-1, keepdim=True) % base,
        }

    messages = (
        Message("left", (), 2, base, lambda world, said: world["left"].sum(dim=-1) % base),
        Message("right", (), 2, base, lambda world, said: world["right"].sum(dim=-1) % base),
        Message("lead", (0, 1), 1, base, lambda world, said: (said[0][..., 0] + said[1][..., 0]) % base),
    )
    return Task("Divide and add", base, messages, draw)


def look_up_and_relay(keys: int = 4, base: int = 8) -> Task:
    """One agent knows the key, another the table, and a third, who hears only the second, has to give the value."""

    def draw(shape: tuple[int, int], chance: torch.Generator) -> World:
        table = _any(base, (*shape, keys), chance)
        key = _any(keys, (*shape, 1), chance)
        return {"asks": key, "holds": table, "answers": table[..., :0], "answer": table.gather(-1, key)}

    def value(world: World, said: Messages) -> Tensor:
        return world["holds"].gather(-1, said[0][..., :1] % keys)[..., 0]

    messages = (
        Message("asks", (), 2, base, lambda world, said: world["asks"][..., 0]),
        Message("holds", (0,), 2, base, value),
        Message("answers", (1,), 1, base, lambda world, said: said[1][..., 0]),
    )
    return Task("Look up and relay", base, messages, draw)


def propose_and_check(candidates: int = 3, base: int = 8) -> Task:
    """One agent sees some candidates, another the right one, and may say no more than one of two words, twice."""

    def draw(shape: tuple[int, int], chance: torch.Generator) -> World:
        order = torch.rand((*shape, base), generator=chance, device=chance.device).argsort(dim=-1)[..., :candidates]
        right = order.gather(-1, _any(candidates, (*shape, 1), chance))
        return {"proposes": order, "checks": right, "answer": right}

    def propose(number: int) -> Callable[[World, Messages], Tensor]:
        def script(world: World, said: Messages) -> Tensor:
            word = world["proposes"][..., number]
            for place in range(0, 2 * number, 2):  # what was accepted is proposed again
                word = torch.where(said[place + 1][..., 0] == 1, said[place][..., 0], word)
            return word

        return script

    def check(place: int) -> Callable[[World, Messages], Tensor]:
        return lambda world, said: (said[place] == world["checks"])[..., 0].long()

    messages = (
        Message("proposes", (), 1, base, propose(0)),
        Message("checks", (0,), 1, 2, check(0)),
        Message("proposes", (0, 1), 1, base, propose(1)),
        Message("checks", (0, 1, 2), 1, 2, check(2)),
        Message("proposes", (0, 1, 2, 3), 1, base, propose(2)),
    )
    return Task("Propose and check", base, messages, draw)


TASKS: dict[str, Callable[..., Task]] = {
    "divide": divide_and_add,
    "relay": look_up_and_relay,
    "check": propose_and_check,
}
"""The tasks by name."""
