#!/usr/bin/env python3
"""Computes the rewards of every preset for rollouts in a small world, in double precision.

  make_reward_goldens.py           writes reward_goldens.csv beside this file
  make_reward_goldens.py --check   exit code 1 if the file there is not what would be written

The formulas are those of the papers and public code bases that presets name as their sources,
written down again in plain Python; nothing comes from warpath. The world, metres:

  A --2.0-- B --1.5-- C --2.5-- D --0.8-- F --1.0-- G
            B --4.0-- E                                  reference A B C D, goal D, threshold 3
"""
import math
import pathlib
import sys

EDGES = {"AB": 2.0, "BC": 1.5, "CD": 2.5, "BE": 4.0, "DF": 0.8, "FG": 1.0}
NODES = "ABCDEFG"
REFERENCE = "ABCD"
THRESHOLD = 3.0
ROLLOUTS = ["ABC", "ABEB", "ABCDFG", "ABCD", "A", "AAB"]
GOAL_SETS = ["D", "CD"]


def shortest_paths(length):
    d = {(a, b): 0.0 if a == b else math.inf for a in NODES for b in NODES}
    for edge, metres in EDGES.items():
        a, b = edge
        d[a, b] = d[b, a] = length(metres)
    for k in NODES:
        for a in NODES:
            for b in NODES:
                d[a, b] = min(d[a, b], d[a, k] + d[k, b])
    return d


METRES = shortest_paths(lambda metres: metres)
HOPS = shortest_paths(lambda metres: 1.0)


def dtw(query, d=METRES):
    cells = {(-1, -1): 0.0}
    for i, q in enumerate(query):
        for j, r in enumerate(REFERENCE):
            before = min(cells.get(c, math.inf) for c in ((i - 1, j - 1), (i - 1, j), (i, j - 1)))
            cells[i, j] = d[q, r] + before
    return cells[len(query) - 1, len(REFERENCE) - 1]


def ndtw(query, d=METRES):
    return math.exp(-dtw(query, d) / (THRESHOLD * len(REFERENCE)))


def cls(query):
    length = lambda path: sum(METRES[a, b] for a, b in zip(path, path[1:]))
    coverage = sum(math.exp(-min(METRES[q, r] for q in query) / THRESHOLD)
                   for r in REFERENCE) / len(REFERENCE)
    expected = coverage * length(REFERENCE)
    return coverage * expected / (expected + abs(expected - length(query)))


def sign(x, tie):
    return 1.0 if x > 0 else -1.0 if x < 0 else tie


class Rollout:
    def __init__(self, query, stopped, goals):
        self.query, self.stopped = query, stopped
        self.goal = [min(METRES[q, g] for g in goals) for q in query]
        self.last = self.goal[-1]
        # BabyWalk repeats the last viewpoint when the agent stops.
        self.repeated = query + query[-1] if stopped else query

    def moves(self, reward):
        """Rewards each move by reward(query before, query after, distance before, after)."""
        return [reward(self.query[:t + 1], self.query[:t + 2], self.goal[t], self.goal[t + 1])
                for t in range(len(self.query) - 1)]

    def own(self, moves, end):
        """The end has a column of its own, whether the agent stopped or its time was up."""
        return moves + [end]

    def if_stopped(self, moves, end):
        """A stop has a column of its own, a time-out earns nothing."""
        return moves + [end if self.stopped else 0.0]

    def in_place(self, moves, end):
        """The end of a time-out replaces the last move's reward."""
        return moves + [end] if self.stopped or not moves else moves[:-1] + [end, 0.0]


def goal(r, failure):
    return r.own(r.moves(lambda p, q, a, b: a - b), 1.0 if r.last <= 3.0 else failure)


def ndtw_gain(r):
    return r.own(r.moves(lambda p, q, a, b: ndtw(q) - ndtw(p)),
                 1.0 - r.last / 3.0 if r.last <= 3.0 else 0.0)


def valan_goal(r):
    return r.in_place(r.moves(lambda p, q, a, b: min(1.0, max(-1.0, a - b))),
                      4.0 if r.last == 0.0 else -4.0)


def signs(r, tie, success, end):
    return end(r.moves(lambda p, q, a, b: sign(a - b, tie)), 2.0 if success else -2.0)


def hamt(r, d):
    def move(p, q, a, b):
        miss = 2.0 * (1.0 - a) if a <= 1.0 and b > a else 0.0
        return sign(a - b, math.nan) + ndtw(q, d) - ndtw(p, d) - miss
    return r.if_stopped(r.moves(move), 2.0 + 2.0 * ndtw(r.query, d) if r.last < 3.0 else -2.0)


def babywalk(r, end, shrink=math.inf):
    return r.in_place(r.moves(lambda p, q, a, b: (a - b) / shrink), end)


def waypoint(r):
    def move(p, q, a, b):
        return min(-0.05, -0.05 * METRES[p[-1], q[-1]] / 0.25) + a - b
    return r.if_stopped(r.moves(move), -0.05 + 2.5 * (r.last < 3.0))


def spl(r, ideal):
    walked = sum(METRES[a, b] for a, b in zip(r.query, r.query[1:]))
    return ideal / max(ideal, walked) if ideal + walked > 0.0 else 1.0


def etp_r1(r, success, any_end):
    end = success * (r.last <= 1.5) + any_end + 1.0 - r.last / 6.0
    return r.own(r.moves(lambda p, q, a, b: 0.0), end)


def budvln(r, success):
    succeeds = r.stopped and r.last < 3.0
    return r.in_place(r.moves(lambda p, q, a, b: 0.05 if b < a else -0.05),
                      (success if succeeds else 0.0) - r.last / 6.0)


PRESETS = {
    "goal": lambda r: goal(r, -1.0),
    "goal-cls-paper": lambda r: goal(r, 0.0),
    "ndtw-gain": ndtw_gain,
    "cls": lambda r: r.own(r.moves(lambda p, q, a, b: 0.0), (r.last <= 3.0) + cls(r.query)),
    "cls-gain": lambda r: r.own(r.moves(lambda p, q, a, b: cls(q) - cls(p)), r.last <= 3.0),
    "valan-goal": valan_goal,
    "valan-dtw": lambda r: r.own(r.moves(lambda p, q, a, b: dtw(p) - dtw(q)), 0.0),
    "envdrop": lambda r: signs(r, math.nan, r.last < 3.0, r.if_stopped),
    "hamt": lambda r: hamt(r, METRES),
    "recurrent-vln-bert": lambda r: hamt(r, HOPS),
    "hamt-cvdn": lambda r: signs(r, 0.0, r.last == 0.0, r.if_stopped),
    "hamt-reverie": lambda r: signs(r, 0.0, r.last == 0.0, r.if_stopped),
    "dc-vln": lambda r: signs(r, -1.0, r.last < 3.0, r.own),
    "babywalk-dis": lambda r: babywalk(r, float(r.last < 3.0), 10.0),
    "babywalk-cls": lambda r: babywalk(r, (r.last < 3.0) + cls(r.repeated)),
    "babywalk-dtw": lambda r: babywalk(r, (r.last < 3.0) + ndtw(r.repeated)),
    "babywalk-mix": lambda r: babywalk(
        r, (ndtw(r.repeated) if r.last < 3.0 else 0.0) + cls(r.repeated)),
    "vlnce-waypoint": waypoint,
    "etp-r1-r2r": lambda r: etp_r1(r, 1.0 + spl(r, r.goal[0]), 0.0),
    "etp-r1-rxr": lambda r: etp_r1(r, ndtw(r.query) + spl(r, 6.0), ndtw(r.query)),  # PL(R) is 6
    "activevln": lambda r: r.if_stopped(r.moves(lambda p, q, a, b: 0.0),
                                        15.0 * (1.0 - min(r.last / 3.0, 1.0))),
    "rlinf": lambda r: r.if_stopped(r.moves(lambda p, q, a, b: 0.0), 5.0),
    "budvln": lambda r: budvln(r, 2.0 + spl(r, r.goal[0])),
    "budvln-as-run": lambda r: budvln(r, 3.0),
}


def table():
    yield "preset,goals,query,stopped,rewards"
    for preset, rewards in PRESETS.items():
        for goals in GOAL_SETS:
            for query in ROLLOUTS:
                for stopped in (1, 0):
                    values = rewards(Rollout(query, stopped == 1, goals))
                    assert len(values) == len(query)
                    text = " ".join(f"{value + 0.0:.9g}" for value in values)
                    yield f"{preset},{goals},{query},{stopped},{text}"


def main():
    file = pathlib.Path(__file__).with_name("reward_goldens.csv")
    text = "".join(line + "\n" for line in table())
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if file.read_text() == text else f"{file}: is not what {__file__} writes")
    file.write_text(text)


if __name__ == "__main__":
    main()
