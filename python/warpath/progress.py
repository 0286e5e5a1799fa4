"""Progress of long calls: a function of one's own, or a bar by tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

from .arguments import wrong

Progress: TypeAlias = "bool | Callable[[int], object]"
"""True for a bar by tqdm, or a function that takes the number of pairs that are done. It is called
by the thread that made the call: at most every 50 ms, and once more at the end. An exception that
it raises ends the call."""


@contextmanager
def reporting(
    progress: Progress, total: int, unit: str
) -> Iterator[Callable[[int], object] | None]:
    """Gives what the library is to call, if anything, and closes the bar."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True:
        if not callable(progress):
            raise wrong("progress", progress, "give True, or a function of the number that is done")
        yield progress
        return
    from tqdm.auto import tqdm

    with tqdm(total=total, unit=unit, unit_scale=True) as bar:
        yield lambda done: bar.update(done - bar.n)
        bar.update(total - bar.n)
