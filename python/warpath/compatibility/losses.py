"""The losses that Zhao et al. 2021 train dual encoders with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import real
from ..errors import InputError, UsageError, Where
from .embeddings import ArrayLike, array_of, is_tensor, name_of, read_array

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .embeddings import Doubles

__all__ = ["Losses", "losses", "require_settings", "require_square", "truth_values"]


class Losses(NamedTuple):
    """Holds the losses of a minibatch: floats, or tensors without dimensions."""

    ce: Any
    """Mean of L_CE over all pairs."""
    focal: Any
    """Mean of L_FL over all pairs."""
    contrastive: Any
    """L_C."""
    total_ce: Any
    """L_C + β times the mean of L_CE."""
    total_focal: Any
    """L_C + β times the mean of L_FL."""


def losses(
    similarity: ArrayLike,
    matched: ArrayLike,
    *,
    a: Any,
    b: Any,
    tau: Any,
    gamma: float = 2.0,
    beta: float = 1.0,
) -> Losses:
    """Computes the losses of a minibatch of N pairs (Zhao et al. 2021, section 4.3, equations 4-6).

    With p_i = σ(a S_ii + b) and M_i = 1 for an unperturbed pair:

    * L_CE = −M_i log p_i − (1 − M_i) log(1 − p_i);
    * L_FL = (1 − p_t)^γ L_CE, where p_t is p_i if M_i = 1, else 1 − p_i (Lin et al. 2017). The
      paper writes (1 − p)^γ for both, which would excuse the worst false matches;
    * L_C = Σ_i M_i (L_r(S_i) + L_r(Sᵀ_i)) / Σ_i M_i, L_r(S_i) = −log(e^{S_ii/τ} / Σ_j e^{S_ij/τ}).
      Perturbed pairs stay in the denominators. Without an unperturbed pair it is 0.

    Args:
        similarity: S, [N, N]: an array (float64 is computed) or a tensor, on its device and in its
            precision (half becomes single); gradients flow.
        matched: M, [N]: whether a pair is unperturbed.
        a, b, tau: numbers; for tensors also tensors without dimensions.
        gamma: γ of the focal loss, at least 0.
        beta: β, the weight of the classification loss.

    Raises:
        InputError: S is not square, ``matched`` has not N truth values, or τ is not above 0.
    """
    if is_tensor(similarity):
        from ..torch import compatibility

        return compatibility.losses(similarity, matched, a=a, b=b, tau=tau, gamma=gamma, beta=beta)
    return _losses(similarity, matched, *require_settings(a, b, tau, gamma, beta))


def require_settings(
    a: Any, b: Any, tau: Any, gamma: Any, beta: Any
) -> tuple[float, float, float, float, float]:
    """Returns the settings as numbers. Raises UsageError if one cannot be used."""
    import math

    values = [real(name, value) for name, value in
              (("a", a), ("b", b), ("tau", tau), ("gamma", gamma), ("beta", beta))]  # fmt: skip
    if not all(map(math.isfinite, values)):
        raise UsageError("a, b, tau, gamma and beta are finite numbers")
    if values[2] <= 0:
        raise UsageError(f"tau is {values[2]:g}; give a number above 0")
    if values[3] < 0:
        raise UsageError(f"gamma is {values[3]:g}; give a number from 0 on")
    return values[0], values[1], values[2], values[3], values[4]


def require_square(shape: tuple[int, ...]) -> int:
    """Returns the number of pairs. Raises InputError if similarities are not of pairs."""
    if len(shape) != 2 or shape[0] != shape[1] or not shape[0]:
        raise InputError.at(
            Where("similarity"),
            f"has the shape {list(shape)}",
            "give [N, N], of the N instructions and the N trajectories of a minibatch",
        )
    return shape[0]


def _losses(
    similarity: ArrayLike,
    matched: ArrayLike,
    a: float,
    b: float,
    tau: float,
    gamma: float,
    beta: float,
) -> Losses:
    import numpy as np

    s = array_of(similarity, "similarity", 2).astype(np.float64)
    n = require_square(s.shape)
    if not np.isfinite(s).all():
        raise InputError.at(Where("similarity"), "is not finite", "give cosines")
    is_match = truth_values(matched, "matched", n)
    with np.errstate(over="ignore", invalid="ignore"):
        logits = np.where(is_match, 1, -1) * (a * np.diagonal(s) + b)  # of what is right
    ce = np.logaddexp(0, -logits)
    with np.errstate(over="ignore"):
        focal = np.exp(-gamma * np.logaddexp(0, logits)) * ce
    with np.errstate(over="ignore"):
        scaled = s / tau
    if not (np.isfinite(scaled).all() and np.isfinite(logits).all()):
        raise UsageError("a, b or 1 / tau is too large for these similarities")
    contrastive = _contrastive(scaled, is_match)
    ce_mean, focal_mean = float(ce.mean()), float(focal.mean())
    return Losses(
        ce_mean,
        focal_mean,
        contrastive,
        contrastive + beta * ce_mean,
        contrastive + beta * focal_mean,
    )


def _contrastive(scaled: Doubles, is_match: npt.NDArray[np.bool_]) -> float:
    import numpy as np

    if not is_match.any():
        return 0.0
    own = np.diagonal(scaled)
    rows = _log_sum_exp(scaled) + _log_sum_exp(scaled.T) - 2 * own
    return float(rows[is_match].mean())


def _log_sum_exp(rows: Doubles) -> Doubles:
    import numpy as np

    largest = rows.max(1)
    return np.asarray(largest + np.log(np.exp(rows - largest[:, None]).sum(1)))


def truth_values(value: ArrayLike, name: str, n: int) -> npt.NDArray[np.bool_]:
    """Returns n truth values, which may be written as 0 and 1. Raises InputError otherwise."""
    import numpy as np

    value = read_array(value)
    found, name = array_of(value, name, 1), name_of(value, name)
    if len(found) != n:
        raise InputError.at(Where(name), f"has {len(found)} values for {n} pairs", "give one each")
    are_wrong = (found != 0) & (found != 1)
    if are_wrong.any():
        row = int(are_wrong.argmax())
        raise InputError.at(Where(name, f"row {row}"), f"is {found[row]}", "give 0 or 1")
    return np.asarray(found, np.bool_)
