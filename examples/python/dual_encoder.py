#!/usr/bin/env python3
"""Trains a dual encoder on made-up data to tell which instructions and paths belong together.

  python3 examples/python/dual_encoder.py [STEPS]

Each viewpoint shows one of 40 things, as 16 noisy numbers: in their place come your features of
viewpoints. An instruction names the things in order. A third of the pairs is perturbed: the path is
reversed, or one viewpoint is another (warpath.perturb does it where there are graphs). Words go
through a BiLSTM, viewpoints through an LSTM; their cosine is the score of a pair (Zhao et al. 2021,
"On the Evaluation of Vision-and-Language Navigation Instructions", section 4). It shows the loss at
work, under half a minute on one core, and reproduces no number of the paper."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import torch
import warpath
from torch import Tensor, nn
from warpath.compatibility import auc, scores, similarity
from warpath.torch import CompatibilityLoss

THINGS, WIDTH, VIEWPOINTS = 40, 16, 6
LEAST_AUC = 0.8


class World:
    """Draws pairs of instructions and trajectories."""

    def __init__(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)
        self.looks = self.draw.normal(size=(THINGS, WIDTH)).astype(np.float32)

    def pairs(self, count: int) -> tuple[Tensor, Tensor, Tensor]:
        """Returns words [count, 6], views [count, 6, 16], and which pairs are unperturbed."""
        words = self.draw.integers(0, THINGS, (count, VIEWPOINTS))
        views = self.looks[words]
        views += 0.5 * self.draw.normal(size=views.shape).astype(np.float32)
        matched = self.draw.random(count) > 1 / 3
        for k in np.flatnonzero(~matched):
            if self.draw.random() < 0.5:
                views[k] = views[k, ::-1].copy()
            else:
                views[k, self.draw.integers(VIEWPOINTS)] = self.looks[self.draw.integers(THINGS)]
        return torch.from_numpy(words), torch.from_numpy(views), torch.from_numpy(matched)


class DualEncoder(nn.Module):
    """Turns instructions and trajectories into rows of numbers whose cosine is their score."""

    def __init__(self, size: int = 64) -> None:
        super().__init__()
        self.words = nn.Embedding(THINGS, 32)
        lstm: Any = nn.LSTM  # some versions have no types for it
        self.read = lstm(32, size // 2, bidirectional=True, batch_first=True)
        self.walk = lstm(WIDTH, size, batch_first=True)

    def forward(self, words: Tensor, views: Tensor) -> tuple[Tensor, Tensor]:
        _, (ends, _) = self.read(self.words(words))
        _, (last, _) = self.walk(views)
        return torch.cat([ends[0], ends[1]], 1), last[-1]


@torch.no_grad()
def evaluate(encoder: DualEncoder, world: World) -> float:
    """Returns how well scores tell unperturbed pairs from perturbed ones."""
    words, views, matched = world.pairs(2000)
    return auc(scores(*encoder(words, views)), matched)


def train(encoder: DualEncoder, world: World, steps: int) -> CompatibilityLoss:
    loss = CompatibilityLoss(kind="focal")
    optimizer = torch.optim.Adam([*encoder.parameters(), *loss.parameters()], 2e-3)
    for _ in range(steps):
        words, views, matched = world.pairs(64)
        optimizer.zero_grad()
        value = loss(similarity(*encoder(words, views)), matched)
        value.backward()
        optimizer.step()
    return loss


def main() -> int:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 450
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the tensors are small
    world, encoder = World(0), DualEncoder()
    before = evaluate(encoder, world)
    loss = train(encoder, world, steps)
    after = evaluate(encoder, world)
    words, views, _ = world.pairs(500)
    found = warpath.compatibility.retrieval(*(rows.detach() for rows in encoder(words, views)))
    print(f"AUC before training {before:.3f}, after {after:.3f}; tau {loss.log_tau.exp():.3f}")
    print(f"recall@10 of 500 trajectories {found.trajectories.recall[10]:.3f}")
    if after <= LEAST_AUC:
        print(f"the encoder does not reach an AUC above {LEAST_AUC}", file=sys.stderr)
    return 0 if after > LEAST_AUC else 1


if __name__ == "__main__":
    sys.exit(main())
