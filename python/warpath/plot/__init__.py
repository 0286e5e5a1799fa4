"""Pictures of paths, alignments and scores, as papers have them. It needs matplotlib.

Every function takes and returns Axes, so whoever wants more goes on from there.

* ``path`` and ``floors`` show an item from above, ``alignment`` its distances and warping.
* ``agents``, ``by_length``, ``distribution`` and ``metric_matrix`` show scores.
* ``baseline`` shows random walks, ``lengths`` the references of datasets.
* ``comparison_set`` and ``sorted_pairs`` show a study with people.
* ``seen`` and ``raters`` show what followers saw, and how they change over their attempts.
* ``systems`` shows a score of instructions against what people did with them.
* ``save`` writes a file with text as text; ``style`` is the context of new pictures.

    >>> result = warpath.evaluate("agent.json", "R2R_val_seen.json", graphs)
    >>> ax = warpath.plot.path(graphs, result.explain_items("4332_0"), alignment=True)
    >>> warpath.plot.save(ax, "path.pdf")
"""

from __future__ import annotations

from ..optional import require

require("matplotlib", "plot")

from .followers import raters, seen  # noqa: E402
from .made import baseline, lengths  # noqa: E402
from .matrix import alignment, metric_matrix  # noqa: E402
from .paths import FloorPlan, floors, path  # noqa: E402
from .scores import agents, by_length, distribution  # noqa: E402
from .sets import comparison_set, sorted_pairs  # noqa: E402
from .style import COLUMN_WIDTH, save, style  # noqa: E402
from .systems import systems  # noqa: E402

__all__ = [
    "COLUMN_WIDTH",
    "FloorPlan",
    "agents",
    "alignment",
    "baseline",
    "by_length",
    "comparison_set",
    "distribution",
    "floors",
    "lengths",
    "metric_matrix",
    "path",
    "raters",
    "save",
    "seen",
    "sorted_pairs",
    "style",
    "systems",
]
