#!/usr/bin/env python3
"""Trains two agents by REINFORCE: one on the distance to the goal, one on the gain of nDTW.

    reinforce.py [EPOCHS]     300 unless it is given; it needs torch

The environment is the synthetic one of the nDTW paper (Ilharco et al. 2019), which the package
makes; its references are detours. Both agents reach their goals, and the second follows its
references, too. A policy is a table of logits: for each reference and viewpoint those of the
neighbours and of the stop.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np
import torch
import warpath
from warpath import Rewards  # of tensors: from warpath.torch import Rewards, without .numpy() below

REWARDS = ["goal", "ndtw-gain"]  # names in warpath.reward_presets
PATHS, ROLLOUTS_PER_PATH, MAX_VIEWPOINTS = 24, 32, 24
DISCOUNT, LEARNING_RATE = 0.99, 0.2
THRESHOLD = 1.418  # metres: that of this environment, 1.33 times the mean length of an edge


class World(NamedTuple):
    """Holds the environment."""

    graphs: warpath.Graphs
    references: list[list[int]]
    """Numbers of viewpoints."""
    next: torch.Tensor
    """int64 [viewpoints, actions]: where each action leads; action 0 is the stop; -1 for none."""


class Rollouts(NamedTuple):
    """Holds a batch of rollouts."""

    reference: torch.Tensor
    """int64 [rollouts]"""
    nodes: torch.Tensor
    """int64 [rollouts, MAX_VIEWPOINTS], -1 behind the end"""
    actions: torch.Tensor
    """int64, of the same shape"""

    @property
    def lengths(self) -> torch.Tensor:
        lengths: torch.Tensor = self.nodes.ge(0).sum(1)
        return lengths


def make_world(folder: pathlib.Path) -> World:
    command = [sys.executable, "-m", "warpath", "demo", "--out", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    graphs = warpath.Graphs(folder / "graphs")
    number = {name: k for k, name in enumerate(graphs.viewpoints("study"))}
    entries = json.loads((folder / "dataset.json").read_text())[:PATHS]
    references = [[number[name] for name in entry["path"]] for entry in entries]

    viewpoints = json.loads((folder / "graphs" / "study_connectivity.json").read_text())
    neighbours = [np.flatnonzero(viewpoint["unobstructed"]) for viewpoint in viewpoints]
    leads_to = np.full((len(neighbours), 1 + max(map(len, neighbours))), -1)
    for node, others in enumerate(neighbours):
        leads_to[node, 0] = node
        leads_to[node, 1 : 1 + len(others)] = others
    return World(graphs, references, torch.from_numpy(leads_to))


def log_probabilities(logits: torch.Tensor, world: World) -> torch.Tensor:
    """Returns the logarithm of each action's probability [references, viewpoints, actions]."""
    logarithms: torch.Tensor = logits.masked_fill(world.next.lt(0), -torch.inf).log_softmax(-1)
    return logarithms


@torch.no_grad()
def roll_out(logits: torch.Tensor, world: World) -> Rollouts:
    """Draws rollouts of every reference, from its first viewpoint to a stop."""
    probabilities = log_probabilities(logits, world).exp()
    reference = torch.arange(PATHS).repeat(ROLLOUTS_PER_PATH)
    at = torch.tensor([path[0] for path in world.references])[reference]
    nodes = torch.full((len(reference), MAX_VIEWPOINTS), -1)
    actions = torch.zeros_like(nodes)
    is_active = torch.ones(len(reference), dtype=torch.bool)
    for t in range(MAX_VIEWPOINTS):
        action = torch.multinomial(probabilities[reference, at], 1)[:, 0]
        nodes[:, t] = torch.where(is_active, at, -1)
        actions[:, t] = action
        is_active &= action.ne(0)
        at = world.next[at, action]
    return Rollouts(reference, nodes, actions)


def make_rewards(world: World, preset: str) -> Rewards:
    """Makes the rewards of a preset, by the threshold of this environment."""
    return Rewards(
        world.graphs,
        world.references,
        "study",
        preset=preset,
        convention={"threshold": THRESHOLD},
        success_radius=THRESHOLD,
    )


def train(world: World, reward: str, epochs: int) -> torch.Tensor:
    """Trains an agent on the rewards of a preset and returns its logits."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the tensors are small
    rewards = make_rewards(world, reward)
    logits = torch.zeros(PATHS, *world.next.shape, requires_grad=True)
    values = torch.zeros(PATHS, len(world.next), requires_grad=True)  # the baseline
    optimizer = torch.optim.Adam([logits, values], LEARNING_RATE)
    for _ in range(epochs):
        made = roll_out(logits, world)
        reference, lengths = made.reference, made.lengths
        earned = rewards.compute(  # reads the tensors' memory
            made.nodes.numpy(),
            lengths.numpy(),
            reference=reference.numpy(),
            stopped=made.actions.eq(0).any(1).numpy(),
        )
        sums = warpath.rewards.add_up(earned.reward, lengths.numpy(), discount=DISCOUNT)
        returns = torch.from_numpy(sums.returns)

        is_step = made.nodes.ge(0)
        state = (reference[:, None].expand_as(made.nodes)[is_step], made.nodes[is_step])
        advantage = returns[is_step] - values[state]
        chosen = (*state, made.actions[is_step])
        log_p = log_probabilities(logits, world)[chosen]
        scale = advantage.detach().std() + 1e-6  # it depends on the reward
        loss = -(log_p * advantage.detach() / scale).mean() + (advantage / scale).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return logits


def evaluate(world: World, logits: torch.Tensor) -> dict[str, float]:
    """Returns the means of SR and nDTW over rollouts of an agent."""
    made = roll_out(logits, world)
    scorer = warpath.Scorer(world.graphs, metrics="SR,nDTW", threshold=THRESHOLD)
    references = [world.references[k] for k in made.reference.tolist()]
    return scorer.score(references, made.nodes.numpy(), "study").means()


def main() -> int:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(pathlib.Path(folder) / "demo")
        scores = {reward: evaluate(world, train(world, reward, epochs)) for reward in REWARDS}
    print("trained on   SR     nDTW")
    for reward, means in scores.items():
        print(f"{reward:12} {means['SR']:.3f}  {means['nDTW']:.3f}")
    follows_better = scores["ndtw-gain"]["nDTW"] > scores["goal"]["nDTW"]
    answer = "follows its references better" if follows_better else "does not follow better"
    print(f"the agent trained on nDTW {answer}")
    return 0 if follows_better else 1


if __name__ == "__main__":
    sys.exit(main())
