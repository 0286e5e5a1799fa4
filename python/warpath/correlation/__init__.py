"""Scores of instructions against what people did with them: Kendall's tau with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from ..errors import UsageError

if TYPE_CHECKING:
    from ..input_tables import TableLike
    from ..progress import Progress
    from .found import Correlations

__all__ = ["correlate"]

_levels = ("system", "instance")


def correlate(
    attempts: TableLike,
    scores: TableLike | None = None,
    *,
    score: str | Iterable[str],
    outcome: str | Iterable[str],
    system: str | Iterable[str] | None = None,
    only: Mapping[str, str | Iterable[str]] | None = None,
    instruction: str | None = None,
    level: str | Iterable[str] = _levels,
    tau: str = "b",
    draws: int = 10_000,
    confidence: float = 0.9,
    seed: int = 0,
    missing: str = "refuse",
    progress: Progress = False,
) -> Correlations:
    """Says how well scores of instructions predict how people follow them: Table 3 of Zhao et al.
    2021, "On the Evaluation of Vision-and-Language Navigation Instructions". It needs SciPy.

    An instruction's outcome is the mean over its attempts. The instance level has Kendall's τ over
    all N instructions of all systems; the system level over the M systems' means of their
    instructions' scores and outcomes. A system is a row of the paper's Table 1: the same generator
    on two splits is two systems. The sign is as it comes: a good score has τ < 0 with NE.

    Intervals are percentiles of τ over bootstrap resamples of instructions, never of systems, taken
    among the values that occurred (``numpy.quantile(…, method="inverted_cdf")``). At the system
    level each system resamples its own instructions. Instructions are in the order of their first
    row. A draw of the system level takes, system by system, ``rng.integers(0, n_s, n_s)`` of
    ``rng = numpy.random.default_rng([seed, 0])``, one of the instance level
    ``rng.integers(0, N, N)`` of ``default_rng([seed, 1])``. All columns share the draws. A draw
    whose τ is undefined is left out and counted.

    Args:
        attempts: a table with a row for each attempt: ``instruction`` (or ``instr_id``, as in
            ``warpath eval --csv``), the columns of systems, outcomes.
        scores: a table with a row for each instruction, joined by instruction, and by the columns
            of systems that both have. None: scores are in the attempts, equal within an
            instruction.
        score, outcome: columns of numbers, names or one text with commas. A score is looked for in
            ``scores``, then in ``attempts``.
        system: columns whose values tell systems apart; None: ``system`` and ``split`` where the
            attempts have them.
        only: column -> the values to keep, such as ``{"system": ["envdrop"]}``.
        instruction: the column of instructions.
        level: ``system``, ``instance`` or both.
        tau: ``b`` (``scipy.stats.kendalltau``) or ``c``.
        draws: resamples behind an interval.
        confidence: of intervals, above 0 and below 1.
        seed: what resamples are drawn from.
        missing: an attempt whose instruction has no score, a score without an attempt, an empty or
            NaN cell: ``refuse``, or ``skip``: the instruction leaves that pair of columns, also
            where a draw takes it, and ``n`` says so.
        progress: True for a bar, or a function of the number of draws that are done.

    Raises:
        InputError: names the file, the row, the column and the remedy.
        UsageError: an argument has no such value, or SciPy is missing.

    Example:
        >>> found = warpath.correlate(
        ...     "attempts.csv", "scores.csv", score=["SPICE"], outcome=["NE", "SPL"]
        ... )
        >>> found.system["SPICE"]["SPL"].tau, found.instance["SPICE"]["SPL"].low
        >>> print(found.to_latex())
    """
    from ..arguments import number, one_of, real, require_word, text, texts
    from ..optional import require
    from .found import Correlations
    from .levels import Options, instance_level, system_level
    from .units import read_units

    require("scipy.stats", "study")
    if only is not None:
        one_of("only", only, Mapping, "give a dict from a column to the values to keep")
    for name, value, among in (("tau", tau, ("b", "c")), ("missing", missing, ("refuse", "skip"))):
        require_word(name, value, among)
    levels = _names("level", level)
    for one in levels:
        require_word("level", one, _levels)
    share = real("confidence", confidence)
    if not 0 < share < 1:
        raise UsageError(f"confidence is {share:g}; give a number above 0 and below 1, such as 0.9")
    options = Options(
        tau, number("draws", draws, 1, 10**9), share, number("seed", seed), progress
    )
    units = read_units(
        attempts,
        scores,
        _names("score", score),
        _names("outcome", outcome),
        None if system is None else _names("system", system, at_least=0),
        {text("only", column): texts("only", values) for column, values in (only or {}).items()},
        None if instruction is None else text("instruction", instruction),
        is_skipping=missing == "skip",
    )
    units.require_enough("system" in levels)
    of_systems = system_level(units, options) if "system" in levels else {}
    of_instances = instance_level(units, options) if "instance" in levels else {}
    settings = {
        "score": list(units.scores),
        "outcome": list(units.outcomes),
        "system": units.system_columns,
        "only": units.only,
        "instruction": units.instruction_column,
        "level": levels,
        "tau": tau,
        "draws": options.draws,
        "confidence": share,
        "seed": options.seed,
        "missing": missing,
    }
    return Correlations(units, of_systems, of_instances, settings)


def _names(argument: str, value: str | Iterable[str], at_least: int = 1) -> list[str]:
    """Returns names without repetition: of a list, or of a text with commas."""
    from ..arguments import texts

    listed = texts(argument, value.split(",") if isinstance(value, str) else value)
    names = list(dict.fromkeys(name.strip() for name in listed if name.strip()))
    if len(names) < at_least:
        raise UsageError(f"{argument} names no column" if argument != "level" else "level is empty")
    return names
