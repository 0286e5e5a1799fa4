"""The plain form of what public Python evaluators and trainers compute, which benchmarks time
beside warpath: distances in a dict of dicts (or a matrix), loops over cells, NumPy's scalars.
Papers and evaluators are named in `warpath metrics` and in docs/rewards.md."""

import numpy as np

SUCCESS_RADIUS = 3.0


def dtw_cost(distances, path, reference):
    """Computes DTW of two paths of viewpoints (Ilharco et al. 2019, Eq. 4), metres."""
    matrix = np.inf * np.ones((len(path) + 1, len(reference) + 1))
    matrix[0][0] = 0
    for i in range(1, len(path) + 1):
        for j in range(1, len(reference) + 1):
            best = min(matrix[i - 1][j], matrix[i][j - 1], matrix[i - 1][j - 1])
            matrix[i][j] = distances[path[i - 1]][reference[j - 1]] + best
    return matrix[len(path)][len(reference)]


def ndtw(distances, path, reference, threshold=3.0):
    """Computes nDTW of two paths."""
    return np.exp(-dtw_cost(distances, path, reference) / (threshold * len(reference)))


def dtw_scores(distances, path, reference, threshold=3.0):
    """Computes DTW, nDTW and SDTW of two paths, as a dict."""
    cost = dtw_cost(distances, path, reference)
    value = np.exp(-cost / (threshold * len(reference)))
    success = float(distances[path[-1]][reference[-1]] < threshold)
    return {"DTW": cost, "nDTW": value, "SDTW": success * value}


def path_length(distances, path):
    """Adds up the distances from each viewpoint of a path to the next."""
    return np.sum([distances[a][b] for a, b in zip(path[:-1], path[1:])])


def cls(distances, path, reference, threshold=3.0):
    """Computes CLS of two paths (Jain et al. 2019, Eq. 1 to 4)."""
    nearest = [np.min([distances[r][q] for q in path]) for r in reference]
    coverage = np.mean([np.exp(-distance / threshold) for distance in nearest])
    expected = coverage * path_length(distances, reference)
    score = expected / (expected + np.abs(expected - path_length(distances, path)))
    return coverage * score


def item_scores(distances, path, reference, threshold=3.0):
    """Computes all scores of an item, SPL by the reference's length, by warpath's names."""
    errors = [distances[viewpoint][reference[-1]] for viewpoint in path]
    scores = {"NE": errors[-1], "ONE": np.min(errors), "PL": path_length(distances, path)}
    scores["SR"] = float(scores["NE"] < threshold)
    scores["OSR"] = float(scores["ONE"] < threshold)
    shortest = path_length(distances, reference)
    scores["SPL"] = scores["SR"] * shortest / max(scores["PL"], shortest, 0.01)
    scores.update(dtw_scores(distances, path, reference, threshold))
    scores["CLS"] = cls(distances, path, reference, threshold)
    return scores


def rewards_of(distances, path, reference, threshold):
    """Returns the gain of nDTW of each move, then 1 - d/d_th for a success or 0."""
    values = [ndtw(distances, path[:n], reference, threshold) for n in range(1, len(path) + 1)]
    error = distances[path[-1]][reference[-1]]
    end = 1.0 - error / threshold if error <= SUCCESS_RADIUS else 0.0
    return [after - before for before, after in zip(values, values[1:])] + [end]
