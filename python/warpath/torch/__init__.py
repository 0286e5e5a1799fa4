"""Scores and rewards of tensors: tensors in, tensors out, on the device where they lie.

* ``Scorer`` scores queries against references that stay.
* ``Rewards`` rewards finished rollouts, ``RewardTracker`` running episodes, ``add_up`` adds rewards
  up to returns and advantages.
* ``group_advantages`` compares rollouts of one item; ``sum_by_decision`` and ``spread_to_tokens``
  lead from moves to decisions, and from these to tokens.
* ``CompatibilityLoss`` trains a dual encoder of instructions and trajectories.

CPU tensors take the vector back end, CUDA tensors the kernels, on torch's current stream and in
memory of its allocator; nothing is copied and nothing waits. Calls work under ``torch.compile`` (as
operators, from torch 2.4 on) and in CUDA graphs. Arrays of CuPy, JAX and NumPy are taken over their
``__dlpack__``; results are tensors. ``docs/tensors.md`` tells more.
"""

from __future__ import annotations

from typing import Any

from .. import reference_scorer
from .compatibility import CompatibilityLoss
from .groups import Advantages, group_advantages, spread_to_tokens, sum_by_decision
from .reward_tracker import RewardTracker
from .rewards import Returns, Rewards, RewardValues, add_up
from .scorer import Scorer

ReferenceScorer = Scorer
"""The name that the class has in ``warpath``."""


def twin_of(thing: Any) -> Any:
    """Makes the object that does with tensors what one of ``warpath`` does with arrays."""
    kind = Scorer if isinstance(thing, reference_scorer.AnyScorer) else Rewards
    twin: Any = kind.__new__(kind)
    twin.__dict__.update(thing.__dict__)
    twin.begin(check=False)
    return twin


__all__ = [
    "Advantages",
    "CompatibilityLoss",
    "ReferenceScorer",
    "Returns",
    "RewardTracker",
    "RewardValues",
    "Rewards",
    "Scorer",
    "add_up",
    "group_advantages",
    "spread_to_tokens",
    "sum_by_decision",
]
