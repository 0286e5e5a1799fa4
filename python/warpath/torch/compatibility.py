"""The loss that trains a dual encoder of instructions and trajectories."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from ..compatibility.losses import check_setting, losses
from ..errors import UsageError

__all__ = ["CompatibilityLoss"]


class CompatibilityLoss(torch.nn.Module):
    """Returns the loss of a batch of instructions and trajectories: contrastive + β classification.

    ``forward(similarity, matched)`` takes float ``[N, N]``, as ``warpath.compatibility.similarity``
    makes it with pair i on the diagonal, and ``matched`` ``[N]``, 1 of an unperturbed pair and 0 of
    a perturbed one. It returns a tensor of one element. a, b and log τ are parameters and are
    learned with the encoders; ``warpath.compatibility.losses`` has the formulas.

    Args:
        kind: of the classification: ``focal`` or ``ce``.
        gamma: exponent of the focal loss, from 0 on.
        beta: weight of the classification, from 0 on.
        a, b, tau: what training starts from; tau is above 0.

    Raises:
        UsageError: there is no such kind.
        InputError: a setting cannot be; on a call, as ``losses``.

    Source: Zhao et al. 2021, §4.3, Eq. 6.
    """

    def __init__(
        self,
        kind: str = "focal",
        *,
        gamma: float = 2.0,
        beta: float = 1.0,
        a: float = 5.0,
        b: float = 0.0,
        tau: float = 0.1,
    ) -> None:
        super().__init__()
        if kind not in ("focal", "ce"):
            raise UsageError(f"there is no loss of kind {kind!r}: take focal or ce")
        self.kind = kind
        self.gamma = check_setting(gamma, "gamma")
        self.beta = check_setting(beta, "beta")
        self.a = torch.nn.Parameter(torch.tensor(check_setting(a, "a", lowest=-math.inf)))
        self.b = torch.nn.Parameter(torch.tensor(check_setting(b, "b", lowest=-math.inf)))
        log_tau = math.log(check_setting(tau, "tau", lowest=0.0))
        self.log_tau = torch.nn.Parameter(torch.tensor(log_tau))

    def forward(self, similarity: Tensor, matched: Any) -> Tensor:
        """Returns the loss of a batch."""
        found = losses(
            similarity,
            matched,
            a=self.a,
            b=self.b,
            tau=self.log_tau.exp(),
            gamma=self.gamma,
            beta=self.beta,
        )
        total: Tensor = found.total_focal if self.kind == "focal" else found.total_ce
        return total

    def extra_repr(self) -> str:
        return f"kind={self.kind!r}, gamma={self.gamma:g}, beta={self.beta:g}"
