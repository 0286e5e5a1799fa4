"""Studies with people: do rankings of paths by a metric agree with rankings by people?

The study of Ilharco et al. 2019 (section 4.1, Tables 1 and 2, Figures 2 and 3), or one with sets of
one's own. A set is a reference and two to 26 queries.

* ``make`` writes a folder with sets, sheets to hand out, and a form for the answers.
* ``read`` reads such a folder; ``score`` gives the table of rank correlations.
* ``simulate`` makes up raters, to check the procedure.

    >>> study = warpath.study.make("study", seed=1)
    >>> found = warpath.study.score(study, "study/answers.csv")
    >>> found["UC"]["nDTW"].mean
    >>> print(found)
"""

from __future__ import annotations

from .making import make
from .raters import simulate
from .scoring import score
from .sets import RatingSet, Study, StudyLike, read

__all__ = ["RatingSet", "Study", "StudyLike", "make", "read", "score", "simulate"]
