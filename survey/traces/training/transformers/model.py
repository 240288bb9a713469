"""Small transformers, one for each seed, side by side: every weight has the seed as its first axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from survey.extras import lazy

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from torch.nn import functional
else:
    torch = lazy("torch")
    functional = lazy("torch.nn.functional")

Weights: TypeAlias = "dict[str, Tensor]"


@dataclass(frozen=True)
class Size:
    """How large each transformer is."""

    width: int = 64
    layers: int = 2
    heads: int = 4


def transformer(size: Size, words: int, length: int, seeds: Sequence[int], device: str = "cpu") -> Weights:
    """Return weights for texts of up to so many tokens out of so many words, drawn anew for each seed."""
    width = size.width
    shapes = {"words": (words, width), "places": (length, width), "out": (width, words)}
    for layer in range(size.layers):
        shapes |= {
            f"{layer}.attend": (width, 3 * width),
            f"{layer}.join": (width, width),
            f"{layer}.widen": (width, 4 * width),
            f"{layer}.narrow": (4 * width, width),
        }
    drawn: dict[str, list[Tensor]] = {name: [] for name in shapes}
    for seed in seeds:
        chance = torch.Generator().manual_seed(seed)
        for name, shape in shapes.items():
            scale = 0.1 if name in ("words", "places") else shape[0] ** -0.5
            drawn[name].append(scale * torch.randn(shape, generator=chance))
    return {name: torch.stack(own).to(device).requires_grad_() for name, own in drawn.items()}


def parameters(weights: Weights) -> int:
    """Return the number of parameters of one transformer."""
    return sum(weight[0].numel() for weight in weights.values())


def logits(weights: Weights, text: Tensor, heads: int) -> Tensor:
    """Return the logits of the word after each word of each text: by seed, text, place and word."""
    every = torch.arange(len(text), device=text.device)[:, None, None]
    x = weights["words"][every, text] + weights["places"][:, None, : text.shape[-1]]
    layer = 0
    while f"{layer}.attend" in weights:
        x = x + _attended(weights, layer, _even(x), heads)
        x = x + _through(functional.gelu(_through(_even(x), weights[f"{layer}.widen"])), weights[f"{layer}.narrow"])
        layer += 1
    return _through(_even(x), weights["out"])


def _attended(weights: Weights, layer: int, x: Tensor, heads: int) -> Tensor:
    seeds, texts, length, width = x.shape
    parts = _through(x, weights[f"{layer}.attend"]).view(seeds * texts, length, 3, heads, width // heads)
    query, key, value = parts.permute(2, 0, 3, 1, 4)
    found = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
    return _through(found.transpose(1, 2).reshape(x.shape), weights[f"{layer}.join"])


def _through(x: Tensor, weight: Tensor) -> Tensor:
    """Multiply the vectors of each seed by its own matrix."""
    seeds, texts, length, width = x.shape
    return torch.bmm(x.reshape(seeds, texts * length, width), weight).view(seeds, texts, length, -1)


def _even(x: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:])
