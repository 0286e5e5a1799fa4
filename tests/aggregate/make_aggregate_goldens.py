#!/usr/bin/env python3
"""Writes aggregate_goldens.json: made-up result dumps and the means that each program gives them.

  make_aggregate_goldens.py            writes the file beside the script
  make_aggregate_goldens.py --check    compares the file with what it would write

Each function is a slow, literal transcription of one program's rule; none knows the C++ code.
Sums run from left to right. NumPy's and torch's results are rounded to single precision where the
program's are, which a comparison to 1e-6 does not see.
"""
import json
import math
import random
import struct
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parent / "aggregate_goldens.json"
SEED = 20261123


def single(value):
    """Rounds to single precision; raises TypeError where torch.tensor does."""
    if value is None or isinstance(value, (str, list, dict)):
        raise TypeError("must be real number")
    try:
        return struct.unpack("f", struct.pack("f", float(value)))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def plain_sum(values):
    """Adds from left to right. The built-in sum() compensates rounding from Python 3.12 on."""
    total = 0.0
    for value in values:
        total = total + value
    return total


def mean(values):
    """Returns what NumPy returns: NaN for no values."""
    return plain_sum(values) / len(values) if values else math.nan


def is_finite_number(value):
    return isinstance(value, (int, float)) and math.isfinite(value)


def zero_if_not_finite(value):
    return 0 if math.isinf(value) or math.isnan(value) else value


def navid(episodes):
    """Reads a file for each episode; an exception skips the rest of that file."""
    total = dict.fromkeys(["success", "spl", "distance_to_goal", "oracle_success", "path_length"],
                          0)
    for episode in episodes:
        try:
            total["success"] += zero_if_not_finite(int(episode["success"]))
            total["spl"] += zero_if_not_finite(episode["spl"])
            total["distance_to_goal"] += zero_if_not_finite(episode["distance_to_goal"])
            total["oracle_success"] += zero_if_not_finite(int(episode["oracle_success"]))
            total["path_length"] += episode["path_length"]
        except (KeyError, TypeError, ValueError, OverflowError):
            pass
    return {key: value / len(episodes) for key, value in total.items()}


def navila(episodes):
    guarded = {"spl", "distance_to_goal"}
    keys = ["distance_to_goal", "success", "spl", "ndtw", "path_length", "oracle_success",
            "steps_taken"]
    lists = {key: [] for key in keys}
    for episode in episodes:
        for key in keys:
            value = episode[key]
            if key not in guarded or is_finite_number(value):
                lists[key].append(value)
    return {key: "N/A" if key in guarded and not values else mean(values)
            for key, values in lists.items()}


def internnav(episodes):
    columns = {key: [episode[key] for episode in episodes]
               for key in ["success", "spl", "oracle_success", "distance_to_goal"]}
    columns["ndtw"] = [episode["ndtw"] for episode in episodes if "ndtw" in episode]
    columns = {key: [single(value) for value in values] for key, values in columns.items()
               if values}
    columns["spl"] = [value if math.isfinite(value) else 0.0 for value in columns["spl"]]
    columns["distance_to_goal"] = [v for v in columns["distance_to_goal"] if math.isfinite(v)]
    return {key: single(mean(values)) for key, values in columns.items()}


def streamvln(episodes):
    columns = {key: [episode[key] for episode in episodes]
               for key in ["success", "spl", "oracle_success", "distance_to_goal"]}
    return {key: mean([single(value) for value in values]) for key, values in columns.items()}


def dcvln(episodes):
    return {key: mean([episode[key] for episode in episodes])
            for key in episodes[0] if key != "episode_id"}


def vlnpe(episodes):
    total = dict.fromkeys(["TL", "NE", "osr", "success", "spl"], 0.0)
    reasons = {"fall": 0, "stuck": 0}
    for episode in episodes:
        info = episode["info"]
        for key in total:
            value = info[key]
            if key in ("NE", "osr") and value < 0:
                value = 0
            total[key] += value
        reason = episode.get("fail_reason", "")
        if reason in reasons:
            reasons[reason] += 1
    means = {key: round(value / len(episodes), 4) for key, value in total.items()}
    means["FR"] = round(reasons["fall"] / len(episodes), 4)
    means["StR"] = round(reasons["stuck"] / len(episodes), 4)
    return means


def ours(episodes, invalid):
    """Averages what an episode can have; `zero` counts the absence of a success as 0."""
    fractions = {"success", "spl", "oracle_success", "ndtw", "osr", "FR", "StR"}
    failures = {"FR", "StR"}  # of which 0 would be the best value
    flat = []
    for episode in episodes:
        values = dict(episode.get("info", episode))
        if "info" in episode and "fail_reason" in episode:
            values["FR"] = float(episode["fail_reason"] == "fall")
            values["StR"] = float(episode["fail_reason"] == "stuck")
        values.pop("episode_id", None)
        flat.append(values)
    means = {}
    for key in dict.fromkeys(key for values in flat for key in values):
        kept = []
        for values in flat:
            value = values.get(key)
            is_valid = is_finite_number(value) and value >= 0
            if is_valid and key in fractions and value > 1:
                is_valid = False
            if is_valid:
                kept.append(value)
            elif invalid == "error":
                raise ValueError(f"{key} has no value")
            elif invalid == "zero" and key in fractions - failures:
                kept.append(0.0)
        means[key] = mean(kept)
    return means


def simulate(rng, count):
    episodes = []
    for number in range(count):
        shortest = rng.uniform(4, 14)
        length = rng.uniform(1, 25)
        success = float(rng.random() < 0.5)
        episodes.append({
            "distance_to_goal": rng.uniform(0, 3) if success else rng.uniform(0, 20),
            "success": success,
            "spl": success * shortest / max(shortest, length),
            "ndtw": rng.random(),
            "path_length": length,
            "oracle_success": max(success, float(rng.random() < 0.3)),
            "steps_taken": float(rng.randrange(1, 200)),
            "episode_id": str(number),
        })
    return episodes


def spoiled(episodes, *changes):
    """Sets values: (number, key, value); "absent" takes the key away."""
    episodes = [dict(episode) for episode in episodes]
    for number, key, value in changes:
        if value == "absent":
            del episodes[number][key]
        else:
            episodes[number][key] = value
    return episodes


def make_cases():
    rng = random.Random(SEED)
    base = simulate(rng, 25)
    nan, inf = math.nan, math.inf
    yield "clean", base
    yield "not_finite", spoiled(base, (3, "spl", nan), (4, "spl", inf), (5, "spl", -inf),
                                (6, "distance_to_goal", inf), (7, "distance_to_goal", nan),
                                (8, "distance_to_goal", -inf))
    yield "unguarded", spoiled(base, (2, "ndtw", nan), (9, "path_length", inf),
                               (11, "steps_taken", nan), (12, "oracle_success", nan))
    yield "no_success", spoiled(base, (0, "success", nan), (1, "success", inf),
                                (2, "success", 0.75), (3, "success", True))
    yield "null_guarded", spoiled(base, (1, "spl", None), (5, "distance_to_goal", None))
    yield "null_length", spoiled(base, (4, "path_length", None), (2, "oracle_success", None))
    yield "no_key", spoiled(base, (4, "path_length", "absent"), (5, "spl", "absent"))
    yield "no_ndtw", spoiled(base, *[(n, "ndtw", "absent") for n in range(0, 25, 3)])
    yield "late_key", spoiled(base, (0, "ndtw", "absent"), (1, "energy", 2.5))
    yield "texts", spoiled(base, (3, "spl", "0.5"), (4, "distance_to_goal", "far"))
    yield "nothing_left", spoiled(simulate(rng, 3), *[(n, key, nan) for n in range(3)
                                                      for key in ("spl", "distance_to_goal")])
    yield "one", simulate(rng, 1)
    reasons = ["", "fall", "stuck", "over_steps"]
    pe = [{"info": {"TL": rng.uniform(0, 20), "NE": rng.uniform(0, 12) if n % 5 else -1.0,
                    "osr": rng.choice([0.0, 1.0]) if n % 7 else -1.0,
                    "success": float(n % 4 == 0), "spl": rng.random() if n % 4 == 0 else 0.0},
           "fail_reason": reasons[n % 4]} for n in range(30)]
    yield "vlnpe", pe
    yield "vlnpe_without_reason", [{key: episode[key] for key in episode if key != "fail_reason"
                                    or n != 6} for n, episode in enumerate(pe)]
    yield "vlnpe_nan", [dict(pe[0], info=dict(pe[0]["info"], NE=nan)), pe[1]]
    yield "vlnpe_null", [pe[1], dict(pe[0], info=dict(pe[0]["info"], osr=None))]


def outcome(rule, *arguments):
    try:
        return {"means": rule(*arguments)}
    except (KeyError, TypeError, ValueError) as problem:
        return {"error": type(problem).__name__}


def make():
    cases = {}
    for name, episodes in make_cases():
        rules = [vlnpe] if name.startswith("vlnpe") else [navid, navila, internnav, streamvln,
                                                          dcvln]
        results = {rule.__name__: outcome(rule, episodes) for rule in rules}
        for invalid in ("error", "skip", "zero"):
            results[f"ours {invalid}"] = outcome(ours, episodes, invalid)
        cases[name] = {"lines": [json.dumps(episode) for episode in episodes], "rules": results}
    return json.dumps(cases, indent=1) + "\n"


def main():
    text = make()
    if "--check" in sys.argv[1:]:
        if OUT.read_text() == text:
            return 0
        print(f"{OUT.name} is not what {Path(__file__).name} writes: run it")
        return 1
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
