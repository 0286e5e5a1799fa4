"""The exceptions of this package. Each can be pickled, so a worker process may raise it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CudaError", "InputError", "UsageError", "Where"]


class Where(NamedTuple):
    """Says where the fault of an input is; what does not apply is empty."""

    file: str = ""
    item: str = ""
    """Id or position of the element at fault."""
    field: str = ""
    """Key, column, argument or option at fault."""


class InputError(ValueError):
    """Reports data that cannot be used: a file, an item, an array.

    ``str(error)`` is one line, ``file: item: field: problem; remedy``; its parts are the attributes
    ``where``, ``problem`` and ``remedy``.
    """

    def __init__(
        self,
        message: str,
        where: tuple[str, str, str] = ("", "", ""),
        problem: str = "",
        remedy: str = "",
    ) -> None:
        super().__init__(message, tuple(where), problem, remedy)
        self.where = Where(*where)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return str(self.args[0])

    @classmethod
    def at(cls, where: Where, problem: str, remedy: str) -> InputError:
        """Makes an error whose message is put together from its parts."""
        place = ": ".join(part for part in where if part)
        text = f"{place}: {problem}" if place else problem
        return cls(f"{text}; {remedy}" if remedy else text, where, problem, remedy)


class UsageError(ValueError):
    """Reports a name or setting that does not exist, or arguments that exclude each other."""


class CudaError(RuntimeError):
    """Reports a call of the CUDA runtime that failed; ``code`` is the ``cudaError_t``."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message, code)
        self.code = code

    def __str__(self) -> str:
        return str(self.args[0])
