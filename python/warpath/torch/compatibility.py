"""The compatibility of instructions and trajectories over tensors, and the loss to train it."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..arguments import text
from ..compatibility.embeddings import matches, refuse_rows, require_widths
from ..compatibility.losses import Losses, require_settings, require_square, truth_values
from ..compatibility.ranks import ranks_of
from ..errors import InputError, UsageError, Where

__all__ = ["CompatibilityLoss"]

_max_cells = 1 << 26  # of scores that are kept at a time
_ties = {torch.float32: 1e-6, torch.float64: 1e-12}
_kinds = ("focal", "ce")


class CompatibilityLoss(nn.Module):
    """Returns the loss of a minibatch of a dual encoder: L_C + β/N Σ L_cls (Zhao et al. 2021,
    equation 6; the terms are those of ``warpath.compatibility.losses``). a, b and log τ are
    parameters, which are learned with the encoder's.

    Args:
        kind: the classification loss: ``focal``, or ``ce`` for cross entropy.
        a, b, tau: where the parameters begin; τ is above 0.
        gamma: γ of the focal loss, at least 0.
        beta: the weight β of the classification loss.

    Raises:
        UsageError: there is no such kind, or a number cannot be used.

    Example:
        >>> loss = warpath.torch.CompatibilityLoss(kind="focal")
        >>> optimiser = torch.optim.Adam([*encoder.parameters(), *loss.parameters()])
        >>> s = warpath.compatibility.similarity(*encoder(words, views))
        >>> loss(s, matched).backward()
    """

    def __init__(
        self,
        kind: str = "focal",
        *,
        a: float = 5.0,
        b: float = 0.0,
        tau: float = 0.1,
        gamma: float = 2.0,
        beta: float = 1.0,
    ) -> None:
        super().__init__()
        if text("kind", kind) not in _kinds:
            raise UsageError(f"no kind of loss {kind!r}; there are {', '.join(_kinds)}")
        a, b, tau, gamma, beta = require_settings(a, b, tau, gamma, beta)
        self.kind, self.gamma, self.beta = kind, gamma, beta
        self.a = nn.Parameter(torch.tensor(a))
        self.b = nn.Parameter(torch.tensor(b))
        self.log_tau = nn.Parameter(torch.tensor(math.log(tau)))

    def forward(self, similarity: Tensor, matched: Any) -> Tensor:
        """Returns the loss of N pairs, a tensor without dimensions.

        Args:
            similarity: [N, N], of the N instructions and the N trajectories of a minibatch.
            matched: [N], whether a pair is unperturbed.

        Raises:
            InputError: the shapes do not fit.
        """
        found = _losses(
            similarity, matched, self.a, self.b, self.log_tau.exp(), self.gamma, self.beta
        )
        total: Tensor = found.total_focal if self.kind == "focal" else found.total_ce
        return total

    def extra_repr(self) -> str:
        return f"kind={self.kind!r}, gamma={self.gamma:g}, beta={self.beta:g}"


def losses(
    similarity: Tensor, matched: Any, *, a: Any, b: Any, tau: Any, gamma: float, beta: float
) -> Losses:
    """Computes ``warpath.compatibility.losses`` of a tensor."""
    given = {"a": a, "b": b, "tau": tau}
    tensors = {name: x for name, x in given.items() if isinstance(x, Tensor)}
    # Tensors are looked at where that does not wait.
    read = {name: _number(name, x) for name, x in tensors.items()}
    *numbers, gamma, beta = require_settings(**{**given, **read}, gamma=gamma, beta=beta)
    learned = {**dict(zip(given, numbers)), **tensors}
    return _losses(similarity, matched, **learned, gamma=gamma, beta=beta)


def _number(name: str, tensor: Tensor) -> float:
    """Returns the value of a tensor without dimensions; 1 where that would wait."""
    if tensor.dim() or tensor.is_complex() or tensor.is_sparse:
        shape = list(tensor.shape)
        raise InputError.at(Where(name), f"has the shape {shape}", "give one real number")
    return float(tensor.detach()) if tensor.is_cpu else 1.0


def _losses(
    similarity: Tensor, matched: Any, a: Any, b: Any, tau: Any, gamma: float, beta: float
) -> Losses:
    if not isinstance(similarity, Tensor):
        what = f"is of type {type(similarity).__name__}"
        raise InputError.at(Where("similarity"), what, "give a tensor")
    _require_dense(similarity, "similarity")
    n = require_square(tuple(similarity.shape))
    is_match = _flags(matched, n, similarity.device)
    s = _full(similarity)
    with _in_full_precision(s):
        logits = a * s.diagonal() + b
        ce = F.binary_cross_entropy_with_logits(logits, is_match.to(s.dtype), reduction="none")
        right = torch.where(is_match, logits, -logits)
        focal = (gamma * F.logsigmoid(-right)).exp() * ce
        at, scaled = torch.arange(n, device=s.device), s / tau
        rows = F.cross_entropy(scaled, at, reduction="none")
        rows = rows + F.cross_entropy(scaled.t(), at, reduction="none")
        kept = torch.where(is_match, rows, torch.zeros_like(rows))
        contrastive = kept.sum() / is_match.sum().clamp(min=1)
        ce_mean, focal_mean = ce.mean(), focal.mean()
        return Losses(
            ce_mean,
            focal_mean,
            contrastive,
            contrastive + beta * ce_mean,
            contrastive + beta * focal_mean,
        )


def _require_dense(tensor: Tensor, name: str) -> None:
    if tensor.layout is not torch.strided:
        what = f"is a tensor of layout {tensor.layout}"
        raise InputError.at(Where(name), what, "give its to_dense()")


def _flags(matched: Any, n: int, device: torch.device) -> Tensor:
    """Returns which pairs are unperturbed. Values are looked at where that does not wait."""
    if not isinstance(matched, Tensor):
        given: Tensor = torch.from_numpy(truth_values(matched, "matched", n)).to(device)
        return given
    _require_dense(matched, "matched")
    if tuple(matched.shape) != (n,):
        shape = list(matched.shape)
        raise InputError.at(Where("matched"), f"has the shape {shape}", f"give [{n}]")
    if matched.dtype is not torch.bool and matched.is_cpu:
        truth_values(matched, "matched", n)
    flags: Tensor = matched.to(device).ne(0)
    return flags


def similarity(instructions: Tensor, trajectories: Tensor) -> Tensor:
    """Computes ``warpath.compatibility.similarity`` of tensors."""
    w, v = _directions(instructions, trajectories)
    with _in_full_precision(w):
        found: Tensor = w @ v.t()
    return found


def scores(instructions: Tensor, trajectories: Tensor, match: Any) -> Tensor:
    """Computes ``warpath.compatibility.scores`` of tensors."""
    w, v = _directions(instructions, trajectories)
    found: Tensor = (w * v[_match(match, w, v)]).sum(1)
    return found


@torch.no_grad()
def ranks(instructions: Tensor, trajectories: Tensor, match: Any) -> tuple[Any, Any]:
    """Returns the ranks of each instruction's trajectory, and of each trajectory's best
    instruction, without trajectories that have none; int64 arrays."""
    w, v = _directions(instructions, trajectories)
    numbers = matches(match, len(w), len(v))
    if w.is_cpu:
        return ranks_of(w.numpy(), v.numpy(), numbers, _ties[w.dtype])
    return ranks_on_device(w, v, torch.from_numpy(numbers).to(w.device))


def ranks_on_device(w: Tensor, v: Tensor, right: Tensor) -> tuple[Any, Any]:
    """Returns the same; the rows have length 1."""
    step = max(1, _max_cells // max(len(v), w.shape[1]))
    parts = [slice(first, first + step) for first in range(0, len(w), step)]
    own = torch.cat([(w[part] * v[right[part]]).sum(1) for part in parts])
    best = _best(own, right, len(v))
    above_own, above_best = own.sub(_ties[w.dtype]), best.sub(_ties[w.dtype])
    of_trajectory = torch.ones_like(best, dtype=torch.int64)
    of_instruction = []
    with _in_full_precision(w):
        for part in parts:
            found = w[part] @ v.t()
            found.scatter_(1, right[part, None], -math.inf)  # right ones, in both directions
            of_instruction.append(found.ge(above_own[part, None]).sum(1).add(1))
            of_trajectory += found.ge(above_best).sum(0)
    return torch.cat(of_instruction).cpu().numpy(), of_trajectory[best.isfinite()].cpu().numpy()


def _best(own: Tensor, right: Tensor, t: int) -> Tensor:
    """Returns the highest score of each trajectory's instructions, -inf where it has none."""
    best = np.full(t, -np.inf)  # torch.scatter_reduce warns in early versions
    np.maximum.at(best, right.cpu().numpy(), own.cpu().numpy())
    found: Tensor = torch.from_numpy(best).to(own)
    return found


def _match(match: Any, w: Tensor, v: Tensor) -> Tensor:
    numbers: Tensor = torch.from_numpy(matches(match, len(w), len(v))).to(w.device)
    return numbers


def _directions(instructions: Tensor, trajectories: Tensor) -> tuple[Tensor, Tensor]:
    """Returns both with rows of length 1, in the wider of their precisions."""
    found = []
    for name, given in (("instructions", instructions), ("trajectories", trajectories)):
        if given.dim() != 2 or not given.numel() or given.layout is not torch.strided:
            what = f"has the shape {list(given.shape)}"
            raise InputError.at(Where(name), what, "give a dense tensor [rows, width]")
        if given.is_complex():
            raise InputError.at(Where(name), f"is of the type {given.dtype}", "give real numbers")
        found.append(_full(given))
    w, v = found
    require_widths(w.shape[1], v.shape[1])
    if w.device != v.device:
        what = f"lies on {v.device}, the instructions on {w.device}"
        raise InputError.at(Where("trajectories"), what, "give tensors on one device")
    kind = torch.promote_types(w.dtype, v.dtype)
    return _unit(w.to(kind), "instructions"), _unit(v.to(kind), "trajectories")


def _unit(rows: Tensor, name: str) -> Tensor:
    with torch.no_grad():
        largest = rows.abs().amax(1, keepdim=True)
        state = torch.stack([~largest.isfinite(), largest == 0])[:, :, 0].cpu().numpy()
    refuse_rows(state[0], name, "is not finite")
    refuse_rows(state[1], name, "is zero")
    scaled = rows / largest  # squares of very small or large numbers are none
    found: Tensor = scaled / scaled.square().sum(1, keepdim=True).sqrt()
    return found


def _full(tensor: Tensor) -> Tensor:
    """Returns a tensor of at least single precision."""
    return tensor if tensor.dtype in _ties else tensor.float()


@contextlib.contextmanager
def _in_full_precision(tensor: Tensor) -> Iterator[None]:
    """Keeps products from TF32 and from autocast, so that ranks do not hang on them."""
    library: Any = torch  # some versions have no types for this
    device = tensor.device.type
    has_autocast = device in ("cpu", "cuda")
    with library.autocast(device, enabled=False) if has_autocast else contextlib.nullcontext():
        before = library.get_float32_matmul_precision()
        if device != "cuda" or before == "highest":
            yield
            return
        library.set_float32_matmul_precision("highest")
        try:
            yield
        finally:
            library.set_float32_matmul_precision(before)
