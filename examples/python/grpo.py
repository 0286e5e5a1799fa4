#!/usr/bin/env python3
"""Trains an agent by GRPO on nDTW, beside REINFORCE on the same reward.

    grpo.py [EPOCHS]     300 unless it is given; it needs torch

The environment and its policy are those of reinforce.py, which lies beside this file. GRPO needs no
critic: the rollouts of one reference are a group, and the rewards of whole rollouts are compared
within it (`warpath.group_advantages`).
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

import torch
import warpath
from reinforce import LEARNING_RATE, PATHS, World, evaluate, log_probabilities, make_rewards
from reinforce import make_world, roll_out, train

REWARD = "ndtw-gain"  # its sum over a rollout is nDTW at the end less that of the start
UPDATES, CLIP = 2, 0.2  # of each batch of rollouts; the bound of a change of probabilities


def train_by_groups(world: World, epochs: int) -> torch.Tensor:
    """Trains an agent by GRPO (Shao et al. 2024) and returns its logits."""
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the tensors are small
    rewards = make_rewards(world, REWARD)
    logits = torch.zeros(PATHS, *world.next.shape, requires_grad=True)
    optimizer = torch.optim.Adam([logits], LEARNING_RATE)
    for _ in range(epochs):
        made = roll_out(logits, world)
        earned = rewards.compute(  # reads the tensors' memory
            made.nodes.numpy(),
            made.lengths.numpy(),
            reference=made.reference.numpy(),
            stopped=made.actions.eq(0).any(1).numpy(),
        )
        # Rollouts of a reference do not follow each other here: its number names the group.
        groups = warpath.group_advantages(earned.reward.sum(1), groups=made.reference.numpy())
        advantage = torch.from_numpy(groups.advantage)

        is_step = made.nodes.ge(0)
        rollout = torch.arange(len(made.nodes))[:, None].expand_as(made.nodes)[is_step]
        step = (made.reference[rollout], made.nodes[is_step], made.actions[is_step])
        before = log_probabilities(logits, world)[step].detach()
        for _ in range(UPDATES):
            ratio = (log_probabilities(logits, world)[step] - before).exp()
            gain = torch.minimum(
                ratio * advantage[rollout], ratio.clamp(1 - CLIP, 1 + CLIP) * advantage[rollout]
            )
            optimizer.zero_grad()
            (-gain.mean()).backward()
            optimizer.step()
    return logits


def main() -> int:
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as folder:
        world = make_world(pathlib.Path(folder) / "demo")
        scores = {
            "untrained": evaluate(world, torch.zeros(PATHS, *world.next.shape)),
            "REINFORCE": evaluate(world, train(world, REWARD, epochs)),
            "GRPO": evaluate(world, train_by_groups(world, epochs)),
        }
    print("agent        SR     nDTW")
    for name, means in scores.items():
        print(f"{name:10}   {means['SR']:.3f}  {means['nDTW']:.3f}")
    return 0 if scores["GRPO"]["nDTW"] > scores["untrained"]["nDTW"] + 0.1 else 1


if __name__ == "__main__":
    sys.exit(main())
