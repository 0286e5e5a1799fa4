"""Whether instructions and trajectories belong together, from embeddings of your own encoders.

Zhao et al. 2021, "On the Evaluation of Vision-and-Language Navigation Instructions", section 4: the
score of an instruction h^w and a trajectory h^v is their cosine.

* ``similarity`` gives all scores, ``scores`` those of matching pairs: a column for ``correlate``.
* ``auc`` says how well scores tell good instructions from bad ones, ``labels_from`` which are good.
* ``retrieval`` ranks trajectories for instructions and instructions for trajectories.
* ``losses`` are the paper's; ``warpath.torch.CompatibilityLoss`` is a module of torch.
* ``measure`` does what the command ``warpath compatibility`` does.

Arrays are computed in double precision; tensors of torch on their device, in their precision (half
becomes single).
"""

from __future__ import annotations

from .labels import auc, labels_from
from .losses import Losses, losses
from .measure import Compatibility, measure
from .ranks import Ranks, Retrieval, retrieval
from .similarity import scores, similarity

__all__ = [
    "Compatibility",
    "Losses",
    "Ranks",
    "Retrieval",
    "auc",
    "labels_from",
    "losses",
    "measure",
    "retrieval",
    "scores",
    "similarity",
]
