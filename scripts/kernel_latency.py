"""Predicts the time of a kernel whose warps are too few to hide that results take time: of small
rollouts each scheduler has one warp, so that one warp's time is the kernel's.

A warp runs the machine code in order, from the kernel's first instruction to its end, on the way
that kernel_cycles counts, with as many steps as the work says. An instruction issues a cycle after
the one before it, later where a register or predicate that it reads is not ready, or where its unit
is still busy with the one before; a branch, taken or not, is followed by a stall.
scripts/kernel-table prints and compares the cycles.

Left out are the cache of instructions, banks of registers, reconvergence of lanes, the end of the
last stores, and that a load of several lines takes longer than one of a single line. Both of two
instructions with opposite predicates count, for what a predicate says is unknown here; a second
write of a register does not wait for the first.
"""

import collections
import re

import kernel_cycles

# Cycles until a result is ready, by unit; "" is the uniform unit. Constants and special registers
# come as late as shared memory.
latencies = {"ALU": 5, "FMA": 4, "XU": 24, "LSU": 24, "FP64": 24, "": 5}
integer_multiply, constant, branch_stall = 5, 24, 8

# Cycles of a load from global memory, by where its data lie.
places = {"L1": 35, "L2": 250}

clock = 1.98e3  # cycles of an H200 per microsecond
launch = 3  # microseconds that the launch of a kernel adds, an estimate

# What an instruction reads and writes: names of registers and predicates.
Operands = collections.namedtuple("Operands", "reads writes")

# A kernel that at most one warp of each scheduler runs, the steps of its main loop (0: it has
# none), and the most microseconds that it may take.
Work = collections.namedtuple("Work", "name kernel steps goal")
bits = kernel_cycles.bits
gain, to_goal = bits("dtw"), bits("dtw", "goal")
with_cls = bits("dtw", "coverage", "length", "goal")
works = [
    Work("small rollouts B 4096, T 40, references <= 16, nDTW",
         f"score_pairs<4, 4, 1, {kernel_cycles.dtw}, true, false>", 43, 12),
    Work("small rollouts B 4096, T 40, references <= 16, all",
         f"score_pairs<4, 4, 1, {kernel_cycles.everything}, true, false>", 43, 12),
    Work("rewards B 4096, T 40, references <= 8, nDTW gain",
         f"reward_rollouts_of_groups<8, {gain}>", 13, 12),
    Work("rewards B 4096, T 40, references <= 12, nDTW gain",
         f"reward_rollouts_of_groups<12, {gain}>", 13, 12),
    Work("rewards B 4096, T 40, references <= 16, nDTW gain",
         f"reward_rollouts_of_groups<16, {gain}>", 13, 12),
    Work("rewards B 4096, T 40, references <= 16, goal and nDTW",
         f"reward_rollouts_of_groups<16, {to_goal}>", 13, 12),
    Work("rewards B 4096, T 40, references <= 16, also CLS",
         f"reward_rollouts_of_groups<16, {with_cls}>", 13, 12),
    Work("rewards B 4096, T 40, references <= 16, also CLS, a stop repeats the last viewpoint",
         f"reward_rollouts_of_groups<16, {with_cls}>", 14, 12),
    Work("step of 4096 episodes, references <= 16, nDTW",
         f"step_episodes_of_threads<16, {to_goal}, false>", 0, 12),
    Work("step of 4096 episodes, references <= 16, also CLS",
         f"step_episodes_of_threads<16, {with_cls}, false>", 0, 12),
]

# Cycles of a step, and of the whole kernel.
Cycles = collections.namedtuple("Cycles", "step whole")


def width(name):
    """Returns the number of registers in the result, or in the stored value, of an instruction."""
    if ".128" in name:
        return 4
    return 2 if re.match(r"U?IMAD\.WIDE|D[A-Z]|CS2R$|.*\.64\b", name) else 1


def registers(text, count=1):
    """Returns the registers and predicates in an operand, those that hold addresses as pairs.
    @param count registers that a name stands for elsewhere"""
    found = set()
    for kind, number, pair in re.findall(r"\b(U?[RP])(\d+)\b(\.64\b)?", text):
        is_pair = pair or "desc" in text and kind == "UR"
        wide = 1 if "P" in kind else 2 if is_pair else count
        found.update(f"{kind}{int(number) + i}" for i in range(wide))
    return found


def written(name, parts):
    """Returns how many operands, the first ones, are written: a register and what it carries out,
    or a predicate and one operand more."""
    if not parts or re.match(r"ST|RED\b|BR[AX]|BAR|CALL|RET|WARPSYNC|LDGSTS|R2P", name):
        return 0
    if re.match(r"U?P", parts[0]):
        return 1 if re.match("FCHK|VOTE", name) else 2
    carries = [bool(re.match(r"U?P(\d|T)$", part)) for part in parts[1:]]
    count = (carries + [False]).index(False)
    return 1 + (min(count, 1) if name.startswith("VOTE") else count)


def operands_of(code):
    """Returns the operands of an instruction."""
    name, _, rest = code.text.partition(" ")
    parts = [part.strip() for part in rest.split(",")] if rest else []
    first, count = written(name, parts), width(name)
    writes = set().union(*(registers(part, count) for part in parts[:first]))
    reads = registers(code.predicate)
    for at, part in enumerate(parts[first:], first):
        is_wide = re.match(r"ST|D[A-Z]", name) or "WIDE" in name and at == 3
        reads |= registers(part, count if is_wide and "[" not in part else 1)
    if name == "R2P":
        writes = {f"P{bit}" for bit in range(7) if int(parts[2], 16) >> bit & 1}
    if name == "P2R":
        reads |= {f"P{number}" for number in range(7)}
    return Operands(reads, writes)


def latency_of(code, memory):
    """Returns the cycles until the result of an instruction is ready.
    @param memory cycles of a load from global memory"""
    if re.match(r"LDG|LDL|LD\b|ATOMG?\b", code.text):
        return memory
    if re.match(r"LDC|S2U?R|R2UR", code.text):
        return constant
    if code.text.startswith("IMAD"):
        return integer_multiply
    return latencies[kernel_cycles.unit_of(code.text)[0]]


def issue_cycles(way, memory):
    """Returns the cycle in which each instruction of a way issues."""
    ready, free, issued, now = collections.Counter(), collections.Counter(), [], 0
    known = {code: (operands_of(code), latency_of(code, memory), kernel_cycles.unit_of(code.text))
             for code in set(way)}
    for code in way:
        operands, latency, (unit, cost) = known[code]
        now = max([now, free[unit], *(ready[name] for name in operands.reads)])
        issued.append(now)
        for name in operands.writes:
            old = ready[name] if code.predicate else 0  # what is not written stays as it is
            ready[name] = max(old, now + latency)
        if unit:
            free[unit] = now + 4 * cost  # the other schedulers' warps are at the same place
        now += branch_stall if code.text.startswith("BRA") else 1
    return issued


def counted(work, codes, memory):
    """Returns the cycles of a work; None if its kernel is not there.
    @param codes code of each kernel by name"""
    code = codes.get(work.kernel, [])
    if code and not work.steps:
        way = [code[at] for at in kernel_cycles.way_to_end(code, 0)]
        return Cycles(0, issue_cycles(way, memory)[-1] + 1) if way else None
    before, step, after = kernel_cycles.whole_of(code)
    if not step:
        return None
    issued = issue_cycles(before + step * work.steps + after, memory)
    last = len(before) + len(step) * (work.steps - 1)
    return Cycles(issued[last] - issued[last - len(step)], issued[-1] + 1)


def microseconds(cycles):
    """Returns the time of a kernel of so many cycles, with its launch."""
    return cycles / clock + launch
