"""The objects of trainers, with the fields that their source documents; where it stands is named at each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Tensor:
    """What we use of a tensor of torch: an array that numpy takes only from the processor, and in 32 bits."""

    def __init__(self, values: Any, *, at_hand: bool = False) -> None:
        self.values: NDArray[Any] = np.asarray(values)
        self.at_hand = at_hand

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return Tensor(self.values, at_hand=True)

    def is_floating_point(self) -> bool:
        return self.values.dtype.kind == "f"

    def float(self) -> Tensor:
        return Tensor(self.values.astype(np.float32), at_hand=self.at_hand)

    def new_tensor(self, values: Any) -> Tensor:
        return Tensor(np.asarray(values).astype(self.values.dtype))

    def tolist(self) -> Any:
        return self.values.tolist()

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        assert self.at_hand, "a tensor on a device, or with a gradient, is no array"
        return self.values

    def __getitem__(self, place: Any) -> Tensor:
        return Tensor(self.values[place])

    def __mul__(self, other: Tensor) -> Tensor:
        return Tensor(self.values * other.values)


# --------------------------------------------- rLLM: rllm-org/rllm at 9beb6e0, rllm/types.py


class TerminationReason(Enum):
    ENV_DONE = "env_done"
    ERROR = "error"


@dataclass
class Step:
    prompt_ids: list[int] = field(default_factory=list)
    response_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    chat_completions: list[dict[str, Any]] = field(default_factory=list)
    model_response: str = ""
    model_output: Any = None
    action: Any = None
    reward: float = 0.0
    done: bool = False
    metadata: dict[str, Any] | None = None
    mc_return: float = 0.0
    advantage: list[float] | float | None = None


@dataclass
class Trajectory:
    name: str = "default_traj_name"
    task: Any = None
    steps: list[Step] = field(default_factory=list)
    reward: float | None = None
    signals: dict[str, float] = field(default_factory=dict)
    metadata: dict[str, Any] | None = None


@dataclass
class Episode:
    id: str
    task: Any = None
    termination_reason: Any = None
    is_correct: bool = False
    trajectories: list[Trajectory] = field(default_factory=list)
    artifacts: dict[str, Any] = field(default_factory=dict)
    metrics: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)


# --------------------------------------------- verl: verl-project/verl at 1dda039, verl/protocol.py


@dataclass
class DataProto:
    batch: dict[str, Any]
    non_tensor_batch: dict[str, Any] = field(default_factory=dict)
    meta_info: dict[str, Any] = field(default_factory=dict)


# --------------------------------------------- Agent Lightning: microsoft/agent-lightning at c632d8d,
# --------------------------------------------- agentlightning/verl/agl_rollout_manager.py


@dataclass
class Triplet:
    prompt: Any
    response: Any
    reward: float | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class CompletedRollout:
    rollout_id: str
    data_id: str
    final_reward: float | None = None
    triplets: list[Triplet] | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


# --------------------------------------------- CoMLRL: comlrl 1.4.3, comlrl/trainers/reinforce/magrpo.py


@dataclass
class NodeSample:
    agent_idx: int
    turn_idx: int
    completions_data: dict[str, Any]
    returns: list[float]
    node_mean_reward: float
    node_mean_return: float
    node_env_step: int
