"""What ``warpath.correlate`` returns: τ with its interval by score and outcome, as tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..arguments import find_name
from ..output_tables import PrintedTable, TabledResult, TableStyle, number_text
from .units import Units

if TYPE_CHECKING:
    import pandas

__all__ = ["Correlations", "Level", "Tau", "Taus"]

_sign = "the sign is as it comes: a good score correlates negatively with an error such as NE"
_few_systems = 5
_few_instructions = 30


class Tau(NamedTuple):
    """Holds Kendall's τ between a score and an outcome; None for a value that is not defined."""

    tau: float | None
    low: float | None
    """Bounds of the interval: values of τ that occurred in draws."""
    high: float | None
    n: int
    """How many systems, or instructions, have both."""
    instructions: int
    """How many instructions these are."""
    undefined: int
    """Draws that were left out, since all scores or all outcomes were equal."""


Taus = dict[str, dict[str, Tau]]
"""By score and outcome."""


class Level(Mapping[str, Mapping[str, Tau]]):
    """Maps scores, then outcomes, to τ."""

    def __init__(self, taus: Taus) -> None:
        self._taus = taus

    def __getitem__(self, score: str) -> Mapping[str, Tau]:
        return self._taus[find_name(self._taus, score, "score")]

    def __iter__(self) -> Iterator[str]:
        return iter(self._taus)

    def __len__(self) -> int:
        return len(self._taus)

    def __repr__(self) -> str:
        return f"<Level of {len(self)} scores: {', '.join(self)}>"


class Correlations(TabledResult):
    """Holds Kendall's τ between scores of instructions and what people did with them.

    Attributes:
        system: score -> outcome -> ``Tau`` over systems; empty if it was not asked for.
        instance: the same over instructions.
        instructions: how many instructions each system has.
        means: system -> column -> mean over its instructions, None for no value.
        settings: what was asked for.
    """

    kind = "correlate"

    def __init__(
        self, units: Units, system: Taus, instance: Taus, settings: Mapping[str, Any]
    ) -> None:
        self.sources = units.sources
        self.system = Level(system)
        self.instance = Level(instance)
        self.settings = dict(settings)
        self.instructions = dict(zip(units.systems, units.counts()))
        self.means = _means(units)
        self._attempts = units.attempts
        self._unscored = units.unscored
        self._unattempted = units.unattempted

    def printed(self, style: TableStyle) -> list[PrintedTable]:
        """Returns Table 3: for each level a row for each score, a column for each outcome."""
        total = sum(self.instructions.values())
        what = {"system": f"{len(self.instructions)} systems, {total} instructions",
                "instance": f"{total} instructions"}  # fmt: skip
        return [
            PrintedTable(
                f"{name.capitalize()} level: Kendall's τ-{self.settings['tau']} over {what[name]}"
                + (f", {100 * self.settings['confidence']:g} % intervals" * style.intervals),
                ["score", *self.settings["outcome"]],
                [
                    [score, *(self._cell(name, tau, style, total) for tau in level[score].values())]
                    for score in level
                ],
                caveat=_sign,
            )
            for name, level in self._levels()
        ]

    def _levels(self) -> list[tuple[str, Level]]:
        both = (("system", self.system), ("instance", self.instance))
        return [(name, level) for name, level in both if len(level)]

    def _cell(self, level: str, tau: Tau, style: TableStyle, total: int) -> str:
        digits = 2 if style.digits is None else style.digits
        text = number_text(tau.tau, digits)
        if style.intervals and tau.tau is not None:
            text += f" ({number_text(tau.low, digits)}, {number_text(tau.high, digits)})"
        if tau.instructions == total:
            return text
        is_system = level == "system" and tau.n != len(self.instructions)
        return f"{text} [n {f'{tau.n}, ' if is_system else ''}{tau.instructions}]"

    def remarks(self) -> list[str]:
        lines = [
            f"{self._attempts} attempts; an instruction's outcome is the mean over its attempts",
            f"intervals: {self.settings['draws']} resamples of instructions (seed "
            f"{self.settings['seed']}); systems are not resampled",
        ]
        if len(self.system) and len(self.instructions) < _few_systems:
            m = len(self.instructions)
            values = m * (m - 1) // 2 + 1
            lines.append(f"only {m} systems: τ over them takes at most {values} values")
        few = [f"{s} ({n})" for s, n in self.instructions.items() if n < _few_instructions]
        if few and len(self.system):
            listed = ", ".join(few)
            lines.append(f"systems of fewer than {_few_instructions} instructions: {listed}")
        return [*lines, *self._gaps()]

    def _gaps(self) -> list[str]:
        lines = []
        if self._unscored:
            lines.append(f"left out: {self._unscored} instructions without a score")
        if self._unattempted:
            lines.append(f"left out: {self._unattempted} scored instructions without an attempt")
        for name, level in self._levels():
            for score in level:
                for outcome, tau in level[score].items():
                    pair = f"{name} level, {score} with {outcome}"
                    if tau.tau is None:
                        lines.append(f"{pair}: n/a, since all scores or all outcomes are equal")
                    elif tau.undefined:
                        lines.append(f"{pair}: {tau.undefined} draws without a value are left out")
        return lines

    def described(self) -> dict[str, Any]:
        return {
            "settings": self.settings,
            "attempts": self._attempts,
            "instructions": sum(self.instructions.values()),
            "left_out": {"unscored": self._unscored, "unattempted": self._unattempted},
            "systems": {
                name: {"instructions": n, "means": self.means[name]}
                for name, n in self.instructions.items()
            },
            **{
                name: {s: {o: tau._asdict() for o, tau in level[s].items()} for s in level}
                for name, level in self._levels()
            },
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a DataFrame with a row for each level, score and outcome. It needs pandas."""
        import pandas

        rows = [
            {"level": name, "score": score, "outcome": outcome, **tau._asdict()}
            for name, level in self._levels()
            for score in level
            for outcome, tau in level[score].items()
        ]
        return pandas.DataFrame(rows)

    def __repr__(self) -> str:
        scores, outcomes = (len(self.settings[name]) for name in ("score", "outcome"))
        return f"<Correlations of {scores} scores with {outcomes} outcomes>"


def _means(units: Units) -> dict[str, dict[str, float | None]]:
    """Returns the mean of each column over the instructions of each system that have a value. A
    column that is a score and an outcome is there as an outcome."""
    found: dict[str, dict[str, float | None]] = {}
    for number, system in enumerate(units.systems):
        found[system] = {}
        for name, column in {**units.scores, **units.outcomes}.items():
            values = [v for v in column[units.system_of == number].tolist() if not math.isnan(v)]
            n = len(values)
            found[system][name] = math.fsum(value / n for value in values) if n else None
    return found
