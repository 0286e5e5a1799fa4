"""Drop-in forms of the functions by which public agents score their paths.

One import changes, the rest of the program stays:

==============================================  ====================================
original                                        here
==============================================  ====================================
VLN-DUET, VLN-HAMT and relatives:               ``warpath.compat.cal_dtw``,
``r2r.eval_utils.cal_dtw``, ``cal_cls``         ``cal_cls``
their ``_eval_item`` of a scan                  ``eval_item``
google-research ``r4r.dtw.DTW``,                ``DTW``, ``CLS``
``r4r.cls.CLS``
VLN-CE: ``dtw.dtw``, ``fastdtw.fastdtw``        ``dtw``, ``fastdtw``
``fastdtw.dtw``, exact DTW                      ``exact_dtw``
its measures for habitat, ``NDTW``, ``SDTW``    those of ``warpath.compat.habitat``
R2R's ``Evaluation`` and its descendants        ``Evaluation``
networkx: ``all_pairs_dijkstra_path_length``    ``all_pairs_dijkstra_path_length``
==============================================  ====================================

``install()`` puts ``dtw``, ``fastdtw``, ``exact_dtw``, ``cal_dtw`` and ``cal_cls`` in the place of
the originals of a running program, whose files stay as they are.

Arguments and results are those of the originals. Numbers agree to 1e-12, those of ``cal_dtw`` and
``fastdtw`` to the last bit. Everything is computed in double precision, so thresholds decide as in
the original.

A dict of distances becomes a table when it is first seen (about 1 ms for a scan). The last 64
dicts and tables are kept, until ``forget()``. Each call looks whether the dict is what it was: how
many rows it has, and of the prediction's first, middle and last viewpoint the row, its size, and
the distance to the reference's last (``cal_cls`` has the paths the other way round). A dict that
was seen to change is read anew with each call, which takes 20 times as long. A change that these
looks miss, such as of a single distance, gives the numbers of before: call ``forget()`` after it.

Distances that make no table (a mapping of another class, a value that is no number, a viewpoint
without a row) are read with each call, too, and only those that the paths need.
"""

from __future__ import annotations

from .duet import cal_cls, cal_dtw, eval_item, forget
from .evaluation import Evaluation
from .installation import Installed, LeftAlone, Replaced, install
from .r4r import CLS, DTW
from .shortest_paths import all_pairs_dijkstra_path_length
from .warping import dtw, exact_dtw, fastdtw

__all__ = [
    "CLS",
    "DTW",
    "Evaluation",
    "Installed",
    "LeftAlone",
    "Replaced",
    "all_pairs_dijkstra_path_length",
    "cal_cls",
    "cal_dtw",
    "dtw",
    "eval_item",
    "exact_dtw",
    "fastdtw",
    "forget",
    "install",
]
