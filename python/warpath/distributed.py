"""The commands ``eval`` and ``random`` by several processes, on one machine or many::

    torchrun --nproc_per_node 2 -m warpath.distributed eval --graphs connectivity \\
        --dataset R2R_val_seen.json agent.json --json scores.json

Each process reads all files and scores its share of the items or walks. They exchange the scores
of items, or the exact sums of walks, through torch.distributed (gloo), and the first process
prints and writes what one process alone would, byte for byte but for ``run_info``. Where one of
them fails, all end with its exit code, and the first prints its message.

A launcher sets the environment variables RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT. Without
WORLD_SIZE, or where it is 1, this is the command itself, and torch is not needed.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
from collections.abc import Callable, MutableMapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from . import _core

__all__ = ["Group", "Message", "choose_gpu", "main", "run", "threads_of", "torch_group"]

_longest_wait = timedelta(days=7)  # for a process that scores or writes longer than this one
_commands = ("eval", "random")


class Message(NamedTuple):
    """What a process sends to the others in each round."""

    content: bytes
    code: int | None = None
    """The exit code of a process that has ended; then the content is what it says."""
    host: str = ""


class _Ended(Exception):
    """Ends a process because another one has ended."""


class Group:
    """Exchanges messages among all processes of a run, in rounds.

    Args:
        number, of: this process, from 0, and how many there are.
        gather: takes this process's message, returns those of all, in the order of their numbers.

    Attributes:
        ended: exit code and text for users, once a process has failed or all have ended.
    """

    def __init__(
        self, number: int, of: int, gather: Callable[[Message], Sequence[Message]]
    ) -> None:
        self.number, self.of = number, of
        self._gather = gather
        self.ended: tuple[int, str] | None = None

    def exchange(self, content: bytes) -> list[bytes]:
        """Returns the contents of all processes, in the order of their numbers.

        Raises:
            _Ended: another process has ended.
        """
        return [message.content for message in self._round(Message(content))]

    def end(self, code: int, text: str) -> tuple[int, str]:
        """Tells the others that this process has ended, unless all know of an end already. Returns
        the exit code for all, and what to tell the user."""
        if self.ended is None:
            try:
                self._round(Message(text.encode("utf-8", "replace"), code, platform.node()))
            except _Ended:
                pass
        assert self.ended is not None
        return self.ended

    def _round(self, own: Message) -> Sequence[Message]:
        messages = self._gather(own)
        if all(message.code is None for message in messages):
            return messages
        self.ended = _outcome(messages)
        raise _Ended


def torch_group() -> Group:
    """Returns the group of the processes that a launcher of torch.distributed has started.

    Raises:
        ImportError: there is no torch.
        RuntimeError, ValueError: the launcher said too little, or not all processes came.
    """
    import torch.distributed

    dist: Any = torch.distributed  # some of its functions have no types
    dist.init_process_group("gloo")
    group = dist.new_group(backend="gloo", timeout=_longest_wait)

    def gather(own: Message) -> Sequence[Message]:
        # Plain tuples: this module is __main__ in one process, and may have its name in another.
        messages: list[Any] = [None] * dist.get_world_size()
        dist.all_gather_object(messages, tuple(own), group=group)
        return [Message(*message) for message in messages]

    return Group(dist.get_rank(), dist.get_world_size(), gather)


def _outcome(messages: Sequence[Message]) -> tuple[int, str]:
    """Returns the exit code of the first process that failed and what it said; where none did,
    what the first process said."""
    failed = [k for k, message in enumerate(messages) if message.code]
    if not failed:
        return 0, messages[0].content.decode()
    first = messages[failed[0]]
    text = first.content.decode()
    if len(failed) < len(messages) or len({messages[k].content for k in failed}) > 1:
        text = f"{text.rstrip()} (process {failed[0]} of {len(messages)}, on {first.host})\n"
    return first.code or 1, text


def threads_of(environment: MutableMapping[str, str]) -> int:
    """Returns how many threads a process may use: the cores of its machine are divided evenly
    among the processes there. 0, all cores, for a single one."""
    here = int(environment.get("LOCAL_WORLD_SIZE") or 1)
    return 0 if here <= 1 else max(1, len(os.sched_getaffinity(0)) // here)


def choose_gpu(environment: MutableMapping[str, str], gpus: int) -> None:
    """Gives each process of a machine a GPU of its own, in turn, through CUDA_VISIBLE_DEVICES.

    Args:
        environment: is changed.
        gpus: how many there are.
    """
    here = int(environment.get("LOCAL_WORLD_SIZE") or 1)
    if here <= 1 or gpus <= 1:
        return
    visible = environment.get("CUDA_VISIBLE_DEVICES") or ",".join(map(str, range(gpus)))
    numbers = visible.split(",")
    environment["CUDA_VISIBLE_DEVICES"] = numbers[int(environment["LOCAL_RANK"]) % len(numbers)]


def run(arguments: Sequence[str], group: Group, threads: int = 0) -> tuple[int, str]:
    """Runs a command as one process of a group.

    Args:
        arguments: those of the command, the same for all processes.
        threads: how many may work here; 0 for all cores.

    Returns:
        The exit code of all, and what to tell the user.
    """
    own = "\0".join([_core.version, *arguments]).encode("utf-8", "surrogateescape")
    try:
        asked = set(group.exchange(own))
    except _Ended:
        return group.end(1, "")
    if len(asked) > 1:
        return group.end(2, "warpath: processes have different arguments or versions of warpath\n")
    code, text = _core.run_shared(arguments, group.number, group.of, group.exchange, threads)
    return group.end(code, text)


def _run_under_launcher(arguments: Sequence[str]) -> tuple[int, str]:
    try:
        import torch
        import torch.distributed as dist

        choose_gpu(os.environ, torch.cuda.device_count() if torch.cuda.is_available() else 0)
        group = torch_group()
    except ImportError:
        return 1, "warpath: several processes need PyTorch: pip install torch\n"
    except (RuntimeError, ValueError) as error:
        return 1, f"warpath: the processes do not meet; start them by torchrun: {error}\n"
    try:
        outcome = run(arguments, group, threads_of(os.environ))
        dist.destroy_process_group()
        return outcome
    except RuntimeError as error:
        return 1, f"warpath: another process was lost; torch.distributed says: {error}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs ``eval`` or ``random`` as one of the processes that a launcher has started.

    Args:
        arguments: those of the command; None for this process's own.

    Returns:
        The exit code, the same on all processes.
    """
    own = list(sys.argv[1:] if arguments is None else arguments)
    is_first = int(os.environ.get("RANK", "0")) == 0
    if not own or own[0] not in _commands:
        if is_first:
            print(
                f"warpath: the commands of several processes are {' and '.join(_commands)}; "
                "warpath runs the others",
                file=sys.stderr,
            )
        return 2
    if int(os.environ.get("WORLD_SIZE", "1")) <= 1:
        return _core.run_program(["warpath", *own])
    if is_first:
        _core.end_cleanly_on_signals()
    else:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the first process says what happened
    code, text = _run_under_launcher(own)
    if is_first:
        sys.stderr.write(text)
    return code


if __name__ == "__main__":
    code = main()
    if code != 0:
        # Where a process was lost, threads of torch are still at work: one that wants Python's lock
        # while the interpreter ends would abort this process.
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
