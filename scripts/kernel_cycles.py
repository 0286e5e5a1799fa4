"""Counts from the machine code what kernels cost: cycles of each unit of a multiprocessor, for a
step of the main loop and for whole pairs. scripts/kernel-table prints and compares the counts.

The code is read as cuobjdump shows it. A whole tile runs from the head of the loop over tiles to
its end, with the innermost loop, the step, as often as the work says. Where the code branches, the
way of the paper's convention is counted. Where values decide, the longest way without a call or a
barrier is counted: calls are for operands that division and square root treat apart, which
distances in metres are not.
"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

# An H200: multiprocessors, cycles per second, lanes of a warp.
warp_cycles = 132 * 1.98e9 * 32

# Cycles of a multiprocessor per instruction of a warp, by the unit that executes it. "" has a port
# of its own (constants, uniform registers, branches), so that only its issue counts. Where a name
# stands for cycles, it is a field of SharedMemory.
units = [("FMA", r"FADD|FMUL|FFMA|HFMA2|FCMP", 1 / 4), ("FMA", r"IMAD", 1 / 2),
         ("XU", r"MUFU|POPC|I2F|F2I|FCHK", 2),
         ("LSU", r"LDS\.128", "of_16"), ("LSU", r"LDS\.64", "of_8"), ("LSU", r"LDS", "of_4"),
         ("LSU", r"ATOMS\.POPC\.INC", "of_4"), ("LSU", r"ATOMS", "of_one_word"),
         ("", r"LDC|LDGDEPBAR|DEPBAR", 0),
         ("LSU", r"LD|ST|SHFL|ATOM|RED|MATCH", 1),
         ("", r"U|BRA|BSSY|BSYNC|BAR|CALL|RET|EXIT|NOP|WARPSYNC|S2R|S2UR|R2UR|VOTEU|CS2R", 0),
         ("FP64", r"DADD|DMUL|DFMA|DSETP|DMNMX", 1 / 2),
         ("ALU", r"", 1 / 2)]
unit_names = ["issue", "ALU", "FMA", "XU", "LSU", "FP64"]

# Cycles of what a warp does in shared memory: look-ups of 4, 8 and 16 bytes, and adding to a word.
# Look-ups are of random viewpoints (simulated): 32 lanes of 4 bytes, 16 of 8 or 8 of 16 are served
# at once, in as many cycles as the busiest bank has words. Lanes that count in one word (POPC.INC)
# are added up first, so that only banks matter. Where each lane needs what was there before, they
# follow each other: all 32 are assumed to add to one word, as walks of one number of steps do.
SharedMemory = collections.namedtuple("SharedMemory", "of_4 of_8 of_16 of_one_word",
                                      defaults=(3.54, 6.15, 10, 32))
plain = SharedMemory()
# Each lane of a part reads a copy of its own, without conflicts.
from_copies = SharedMemory(of_8=2, of_16=4)
# Walks read the scan's edges, of which there is one copy.
walks_from_copies = from_copies._replace(of_8=plain.of_8)
# For each edge there is a look-up of 8 bytes from copies, too.
walks_with_known_columns = from_copies._replace(of_8=(from_copies.of_8 + plain.of_8) / 2)

# Bytes of the parameters that hold the choices of a convention: those of kernels::Rules, which come
# first in a view, from its member spl_length on. The first of each is the paper's, and is 0.
# kernels/views/pairs.hpp asserts where they lie.
first_parameter = 0x210  # of a kernel on sm_90
choices = range(first_parameter + 16, first_parameter + 48)

# The bits of Quantity by name, and those of the sets that the works below name.
header = pathlib.Path(__file__).resolve().parent.parent / "kernels" / "sweep" / "quantities.hpp"
quantity = {name: int(bit) for name, bit in
            re.findall(r"\bquantity_(\w+) = (\d+)", header.read_text())}


def bits(*names):
    """Returns the template argument of kernels that measure these quantities."""
    return sum(quantity[name] for name in names)


dtw = bits("dtw", "reference")
five = bits("dtw", "coverage", "deviation", "reference")  # QuantitySet::alignment
everything = bits("all")
in_space = {"DTW": bits("dtw"), "five": bits("dtw", "coverage", "deviation"),
            "all": bits("dtw", "coverage", "deviation", "edits")}

Code = collections.namedtuple("Code", "text target predicate taken", defaults=(None,))
Loop = collections.namedtuple("Loop", "first last")

# What the table counts: `steps` of a tile (0: one step alone), or `values` a pair of totals, which
# are added to a tile of the work named `before`, with as many values as `at_once` in a step. A
# goal is a maximum of cycles by unit ("busiest": of any), or a minimum of `bound`, in units of 10^9
# pairs or 10^12 cells. Of walks that are made (`walks`), words are drawn in every second step only,
# and the sort by steps counts, too.
Work = collections.namedtuple("Work", "name kernel steps goal values at_once before walks",
                              defaults=("", 0, 1, "", False))
works = [
    Work("own references 12 x 14, DTW", f"score_in_shared_table<12, {dtw}, true>", 7),
    Work("own references 12 x 14, five", f"score_in_shared_table<12, {five}, true>", 7),
    Work("own references 12 x 14, all", f"score_in_shared_table<12, {everything}, true>", 7,
         {"issue": 575, "ALU": 545, "LSU": 700}),
    Work("own references 6 x 6, five", f"score_in_shared_table<6, {five}, true>", 3),
    Work("own references 6 x 6, all", f"score_in_shared_table<6, {everything}, true>", 3,
         {"bound": 34}),
    Work("shared reference 12 x 14, DTW", f"score_replicated_reference<12, {dtw}, true>", 7,
         {"busiest": 250}),
    Work("shared reference 12 x 14, five", f"score_replicated_reference<12, {five}, true>", 7,
         {"busiest": 330}),
    Work("shared reference 12 x 14, all", f"score_replicated_reference<12, {everything}, true>", 7,
         {"busiest": 470}),
    Work("own references 12 x 14, all, and totals", "aggregate_slices", 0, {"bound": 9}, 24, 8,
         "own references 12 x 14, all"),
    Work("walks 12 x 14, five", f"score_walks_in_replicated_rows<12, {five}, true>", 7,
         walks=True),
    Work("walks 12 x 14, all", f"score_walks_in_replicated_rows<12, {everything}, true>", 7,
         walks=True),
    Work("walks 12 x 14, five, and totals", "aggregate_slices", 0, {"bound": 15}, 6, 8,
         "walks 12 x 14, five"),
    Work("walks 12 x 14, all, and totals", "aggregate_slices", 0, {"bound": 8}, 24, 8,
         "walks 12 x 14, all"),
    Work("walks 8 x 6, all", f"score_walks_in_replicated_rows<8, {everything}, true>", 3,
         walks=True),
    *[Work(f"points 1000 x 1000, {name}, a step", f"score_pairs_of_points<32, 16, 2, {want}, true>",
           0, {"bound": 2.05} if name == "DTW" else "") for name, want in in_space.items()],
]

# Cells of a lane in a step of the points' kernel: 16 rows x 2 columns. Two strips of 512 rows take
# 531 steps each for 1000 columns.
cells_a_step = 1000 * 1000 / (2 * 531 * 32)


def places_of_tools():
    """Returns folders where the tools that read machine code may lie: those on PATH, nvcc's, and
    those of the packages nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm."""
    found = [shutil.which(tool) for tool in ("cuobjdump", "nvcc")]
    places = [pathlib.Path(tool).resolve().parent for tool in found if tool]
    site = pathlib.Path(sysconfig.get_paths()["purelib"])
    return places + sorted(site.glob("nvidia/*/bin"), reverse=True)


def disassembler(places):
    """Returns the first cuobjdump that has the nvdisasm it calls beside it or on PATH; None if there
    is none."""
    for place in places:
        has_helper = (place / "nvdisasm").exists() or shutil.which("nvdisasm")
        if (place / "cuobjdump").exists() and has_helper:
            return str(place / "cuobjdump")
    return None


instruction = re.compile(r"\s+/\*([0-9a-f]{4,})\*/\s+(@\S+\s+)?(\S.*?)\s*;")
result = re.compile(r"\S+\s+(U?[RP]\d+)")
choice = re.compile(r"U?LDC(\.U8)? (U?R\d+), c\[0x0\]\[(0x[0-9a-f]+)\]$")
comparison = re.compile(
    r"U?ISETP\.(NE|EQ)\.(?:U32\.)?AND (U?P\d), U?PT, (\S+), (\S+), U?PT$")


def parsed(listing):
    """Returns the instructions of one function: text, index of a branch's target or None, its
    predicate or "", and whether the paper's convention takes it (None: it depends on more)."""
    at, rows = {}, []
    for line in listing.splitlines():
        if found := instruction.match(line):
            at[int(found[1], 16)] = len(rows)
            rows.append((found[2], found[3]))
    code = []
    for predicate, text in rows:
        jump = re.match(r"BRA\S*\s+(.*?)(0x[0-9a-f]+)$", text)
        target = at.get(int(jump[2], 16)) if jump else None
        second = re.search(r"!?U?P\w+", jump[1]) if jump else None
        code.append(Code(text, target, (predicate or "").strip("@ ") or (second or [""])[0]))
    return decided(code)


def decided(code):
    """Decides branches that depend on nothing but one choice of a convention."""
    values, known_code = {"RZ": 0, "URZ": 0}, []
    for c in code:
        if c.predicate in values or c.predicate.lstrip("!") in values:
            holds = values[c.predicate.lstrip("!")] != c.predicate.startswith("!")
            c = c._replace(taken=holds) if c.target is not None else c
        to = result.match(c.text)
        load = choice.match(c.text)
        test = comparison.match(c.text.replace(".reuse", ""))
        known = [int(x, 0) if x.startswith("0x") else values.get(x)
                 for x in (test[3], test[4])] if test else [None]
        if to:
            values.pop(to[1], None)
        if load and int(load[3], 16) in choices and not c.predicate:
            values[load[2]] = 0
        if None not in known and not c.predicate:
            values[test[2]] = (known[0] == known[1]) == (test[1] == "EQ")
        known_code.append(c)
    return known_code


def functions(tool, build, architecture, begin):
    """Returns the code of each kernel in the objects of a build, by symbol.
    @param begin of the symbols; other kernels are left out"""
    found = {}
    for item in sorted(build.rglob("kernels/launch/*.cu.o")):
        out = subprocess.run([tool, "-sass", "-arch", architecture, str(item)],
                             capture_output=True, text=True)
        if out.returncode:
            sys.exit(f"{tool} cannot read {item}: {out.stderr.strip()}")
        parts = re.split(r"^\s*Function : (\S+)$", out.stdout, flags=re.M)
        found.update((symbol, parsed(body)) for symbol, body in zip(parts[1::2], parts[2::2])
                     if symbol.startswith(begin))
    return found


def loops_of(code):
    """Returns all loops: from the target of a branch back to that branch."""
    return [Loop(c.target, at) for at, c in enumerate(code)
            if c.target is not None and c.target < at and c.predicate]


def main_loop(code, pattern=r"(VIMNMX|LDS|LDG|MUFU)"):
    """Returns the innermost loop with the most look-ups; None if there is none."""
    def weight(loop):
        return sum(bool(re.match(pattern, c.text)) for c in code[loop.first:loop.last + 1])
    loops = [a for a in loops_of(code) if weight(a)]
    inner = [a for a in loops
             if not any(b != a and b.first >= a.first and b.last <= a.last for b in loops)]
    return max(inner, key=weight) if inner else None


def around(code, loop):
    """Returns the smallest loop that contains another one; None if there is none."""
    outer = [a for a in loops_of(code)
             if a != loop and a.first <= loop.first and a.last >= loop.last]
    return min(outer, key=lambda a: a.last - a.first, default=None)


def followers(code, at):
    """Returns where execution may go on behind an instruction, on ways that call nothing."""
    c = code[at]
    if re.match(r"(EXIT|RET|CALL|BAR)", c.text) and not c.predicate:
        return []
    if c.target is None:
        return [at + 1]
    if c.text.startswith("BRA.DIV"):  # only for lanes that have diverged
        return [at + 1]
    ahead = [c.target] if c.target > at else []
    if not c.predicate or c.taken:
        return ahead
    return [at + 1] if c.taken is False else ahead + [at + 1]


def longest_way(code, first, last, avoids=r"CALL"):
    """Returns the instructions from one to another on the longest way that calls nothing and does
    not jump back; [] if there is none. Loops on the way are left out: they are for rare lanes."""
    inside = {at for loop in loops_of(code) for at in range(loop.first, loop.last + 1)
              if first < loop.first and loop.last < last}
    length, step = {last: 1}, {}
    for at in range(len(code) - 1, -1, -1):
        if at == last or at in inside or re.match(avoids, code[at].text):
            continue
        ways = [b for b in followers(code, at) if b in length]
        if ways:
            step[at] = max(ways, key=length.get)
            length[at] = length[step[at]] + 1
    if first not in length:
        return []
    way = [first]
    while way[-1] != last:
        way.append(step[way[-1]])
    return way


def shared_memory_of(kernel, step):
    """Returns what shared memory costs a kernel. @param step its instructions of a step"""
    if "replicated" not in kernel:
        return plain
    if "walks" not in kernel:
        return from_copies
    look_ups = sum(c.text.startswith("LDS.64") for c in step)  # two columns, each with an edge
    return walks_with_known_columns if look_ups > 2 else walks_from_copies


def unit_of(text, shared=plain):
    """Returns the unit that executes an instruction and the cycles it takes of a multiprocessor."""
    unit, _, cost = next(u for u in units if re.match(u[1], text))
    return unit, getattr(shared, cost) if isinstance(cost, str) else cost


def cycles_of(counted, shared=plain):
    """Returns the cycles of each unit for instructions: pairs of code and how often it runs."""
    cycles = collections.Counter({name: 0 for name in unit_names})
    for c, times in counted:
        unit, cost = unit_of(c.text, shared)
        cycles["issue"] += times / 4
        if unit:
            cycles[unit] += times * cost
    return cycles


def draws(code):
    """Tells whether code draws random words: 20 wide products for four of them."""
    return sum(c.text.startswith("IMAD.WIDE") for c in code) >= 16


def step_of(code, drawn=True):
    """Returns the instructions of one step, the main loop; [] if there is none. A branch is taken
    if it jumps over calls or barriers: most steps need neither. If not `drawn`, it is also taken
    where it jumps over random words."""
    loop = main_loop(code)
    step, at = [], loop.first if loop else 1
    while loop and at <= loop.last:
        c = code[at]
        step.append(c)
        ahead = c.target is not None and at < c.target <= loop.last
        rare = ahead and (any(re.match("CALL|BAR", d.text) for d in code[at:c.target]) or
                          not drawn and draws(code[at:c.target]))
        at = c.target if ahead and (rare or not c.predicate) else at + 1
    return step


def sort_of(code, tile):
    """Returns the instructions that draw the numbers of steps of 32 walks and sort them by it: the
    loops before a tile that count or write places. Words that are drawn again are left out."""
    loops = [a for a in loops_of(code) if a.last < tile.first and
             any(re.match(r"ATOMS|STS\.U16", c.text) for c in code[a.first:a.last + 1])]
    return [code[at] for a in loops for at in longest_way(code, a.first, a.last, r"CALL|I2F")]


def tile_of(code, steps, walks=False):
    """Returns the instructions of a whole tile, with how often each runs. @param walks as in Work"""
    loop = main_loop(code)
    tile = loop and around(code, loop)
    if not tile:
        return []
    before = longest_way(code, tile.first, loop.first)[:-1]
    after = longest_way(code, loop.last + 1, tile.last)
    if not (before and after):
        return []
    times = [(code[at], 1) for at in before + after]
    if not walks:
        return times + [(c, steps) for c in step_of(code)]
    return (times + [(c, 1) for c in sort_of(code, tile)] +
            [(c, (steps + 1) // 2) for c in step_of(code)] +
            [(c, steps // 2) for c in step_of(code, drawn=False)])


def way_to_end(code, first):
    """Returns the longest way from an instruction to the kernel's end; to an end on a condition if
    all others are behind loops, such as one that fills what is left of a row."""
    exits = [at for at in range(first, len(code)) if code[at].text == "EXIT"]
    for may_depend in False, True:
        ways = [longest_way(code, first, at) for at in exits
                if may_depend or not code[at].predicate]
        if way := max(ways, key=len, default=[]):
            return way
    return []


def whole_of(code):
    """Returns the instructions of a whole kernel that runs its main loop once: those before the
    loop, those of one step, and those behind the loop; [] each if a part is not found."""
    loop = main_loop(code)
    if not loop:
        return [], [], []
    before = longest_way(code, 0, loop.first)[:-1]
    after = way_to_end(code, loop.last + 1)
    if not (before and after):
        return [], [], []
    return [code[at] for at in before], step_of(code), [code[at] for at in after]


def values_of(code, at_once):
    """Returns the instructions of the loop over values of totals that loads so many at once, for
    pairs that are all counted (masks are read as bytes); of several loops, those of the one with
    the most instructions."""
    ways = []
    for loop in loops_of(code):
        way = [code[at] for at in longest_way(code, loop.first, loop.last, r"CALL|LDG\.E\.U8")]
        if sum(c.text.startswith("LDG") for c in way) == at_once:
            ways.append(way)
    return max(ways, key=len, default=[])


def busiest(cycles):
    return max(unit_names, key=lambda unit: cycles[unit])


def counted(work, codes):
    """Returns the cycles of a work and its bound; None if its kernel is not there.
    @param codes code of each kernel by name"""
    code = codes.get(work.kernel)
    if not code:
        return None
    if work.steps:
        times = tile_of(code, work.steps, work.walks)
    elif work.values:
        times = [(c, work.values / work.at_once) for c in values_of(code, work.at_once)]
    else:
        times = [(c, 1) for c in step_of(code)]
    cycles = cycles_of(times, shared_memory_of(work.kernel, step_of(code)))
    if work.before:
        tile = counted(next(w for w in works if w.name == work.before), codes)
        if not tile:
            return None
        cycles.update(tile[0])
    if not cycles["issue"]:
        return None
    bound = warp_cycles / cycles[busiest(cycles)] * 1e-9
    if work.steps == 0 and not work.values:
        bound *= cells_a_step * 1e-3
    return cycles, bound


def missed(work, cycles, bound):
    """Returns the goals of a work that its counts miss, as text."""
    is_now = dict(cycles, busiest=cycles[busiest(cycles)], bound=bound)
    return [f"{unit} {is_now[unit]:.4g} instead of {goal}"
            for unit, goal in (work.goal or {}).items()
            if (is_now[unit] < goal if unit == "bound" else is_now[unit] > goal)]


def bound_of(kernel, step, cells):
    """Returns the maximum of cells per second that a kernel's step of so many cells a lane allows,
    and the unit that limits it."""
    cycles = cycles_of([(c, 1) for c in step], shared_memory_of(kernel, step))
    return warp_cycles * cells / cycles[busiest(cycles)], busiest(cycles)
