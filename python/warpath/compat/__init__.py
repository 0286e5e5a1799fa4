"""Drop-in forms of the functions by which public agents score their paths.

One import changes, the rest of the program stays:

===========================================  ====================================
original                                     here
===========================================  ====================================
VLN-DUET, VLN-HAMT and relatives:            ``warpath.compat.cal_dtw``,
``r2r.eval_utils.cal_dtw``, ``cal_cls``      ``cal_cls``
their ``_eval_item`` of a scan               ``eval_item``
google-research ``r4r.dtw.DTW``,             ``DTW``, ``CLS``
``r4r.cls.CLS``
VLN-CE: ``dtw.dtw``, ``fastdtw.fastdtw``     ``dtw``, ``fastdtw``
``fastdtw.dtw``, exact DTW                   ``exact_dtw``
===========================================  ====================================

Arguments and results are those of the originals. Numbers agree to 1e-12, those of ``cal_dtw`` and
``fastdtw`` to the last bit. Everything is computed in double precision, so thresholds decide as in
the original.

A dict of distances becomes a table when it is first seen (about 1 ms for a scan). Dict and table
are kept until ``forget()``. Call that after you changed such a dict, too.
"""

from __future__ import annotations

from .duet import cal_cls, cal_dtw, eval_item, forget
from .r4r import CLS, DTW
from .warping import dtw, exact_dtw, fastdtw

__all__ = [
    "CLS",
    "DTW",
    "cal_cls",
    "cal_dtw",
    "dtw",
    "eval_item",
    "exact_dtw",
    "fastdtw",
    "forget",
]
