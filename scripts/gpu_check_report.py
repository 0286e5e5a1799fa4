"""What scripts/gpu-check asks a GPU machine about itself, and the report that it writes."""

import collections
import csv
import math
import os
import pathlib
import platform
import re
import shutil
import signal
import statistics
import subprocess

root = pathlib.Path(__file__).resolve().parent.parent

# ---------------------------------------------------------------- the machine

smi_fields = {"name": "name", "compute_cap": "compute_cap", "driver": "driver_version",
              "memory_mib": "memory.total", "memory_used_mib": "memory.used",
              "sm_mhz": "clocks.sm", "sm_max_mhz": "clocks.max.sm", "memory_mhz": "clocks.mem",
              "memory_max_mhz": "clocks.max.mem", "power_limit_w": "power.limit",
              "temperature_c": "temperature.gpu", "index": "index", "uuid": "uuid"}
numeric = ("_mib", "_mhz", "_w", "_c")


def chosen(devices, visible):
    """Returns the first of nvidia-smi's devices that a program of CUDA sees; None if it sees none.
    @param visible CUDA_VISIBLE_DEVICES, or None"""
    if visible is None:
        return devices[0]
    name = visible.split(",")[0].strip()
    if name.startswith("MIG-") and not name.startswith("MIG-GPU-"):
        return devices[0]  # a part of a GPU; nvidia-smi does not say of which
    name = name.removeprefix("MIG-").split("/")[0]
    return next((device for device in devices if device["index"] == name or
                 (name.startswith("GPU-") and device["uuid"].startswith(name))), None)


def ask_device(seconds):
    """Returns the device of nvidia-smi that programs take and None, or None and why there is none.
    """
    if not shutil.which("nvidia-smi"):
        return None, "nvidia-smi is not on PATH: install NVIDIA's driver, where there is a GPU"
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=" + ",".join(smi_fields.values()),
                               "--format=csv,noheader,nounits"], capture_output=True, text=True,
                              timeout=seconds)
    except (OSError, subprocess.TimeoutExpired) as why:
        return None, f"nvidia-smi: {why}: is the driver loaded?"
    rows = [[cell.strip() for cell in row] for row in csv.reader(done.stdout.splitlines())]
    rows = [row for row in rows if len(row) == len(smi_fields)]
    if done.returncode or not rows:
        said = (done.stderr + done.stdout).strip().splitlines() or ["it names none"]
        return None, f"nvidia-smi finds no GPU ({said[-1]}): is the driver loaded?"
    devices = [{key: int(float(cell)) if key.endswith(numeric) and cell[:1].isdigit() else cell
                for key, cell in zip(smi_fields, row)} | {"devices": len(rows)} for row in rows]
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    device = chosen(devices, visible)
    if device is None:
        return None, (f"CUDA_VISIBLE_DEVICES is '{visible}', which is none of {len(rows)} GPUs: "
                      "take a number that nvidia-smi -L shows")
    if not re.fullmatch(r"\d+\.\d+", device["compute_cap"]):
        return None, f"compute capability \"{device['compute_cap']}\": is the driver too old?"
    return device, None


def first(pattern, text, otherwise=None):
    match = re.search(pattern, text, re.M)
    return match[1].strip() if match else otherwise


def said_by(*args):
    try:
        done = subprocess.run(args, capture_output=True, text=True, timeout=10, cwd=root)
        return done.stdout if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        return ""


def about_machine():
    cpu, memory, system = (pathlib.Path(p).read_text() if pathlib.Path(p).exists() else ""
                           for p in ["/proc/cpuinfo", "/proc/meminfo", "/etc/os-release"])
    memory = first(r"^MemTotal:\s+(\d+)", memory)
    return {"cpu": first(r"^model name\s*:(.*)", cpu, platform.machine()),
            "cores": len(os.sched_getaffinity(0)),
            "memory_mib": int(memory) // 1024 if memory else None,
            "system": first(r'^PRETTY_NAME="?([^"\n]*)', system), "kernel": platform.release(),
            "compiler": first(r"(.+)", said_by("c++", "--version")),
            "nvcc": first(r"V([\d.]+)", said_by(os.environ.get("CUDACXX", "nvcc"), "--version")),
            "cmake": first(r"version (\S+)", said_by("cmake", "--version"))}


def git_commit():
    commit = said_by("git", "rev-parse", "HEAD").strip()
    changed = said_by("git", "status", "--porcelain")
    return commit + ("-dirty" if changed else "") if commit else None


# ---------------------------------------------------------------- clocks while the bench runs

watched = {"SM clock, MHz": "clocks.sm", "memory clock, MHz": "clocks.mem",
           "power, W": "power.draw", "temperature, °C": "temperature.gpu",
           "link generation": "pcie.link.gen.current", "link width": "pcie.link.width.current"}
further_fields = ["utilization.gpu", "clocks_throttle_reasons.active"]
# Bit 0x1 is left out: the device is idle, which holds nothing back.
throttle_reasons = {0x2: "application clocks", 0x4: "power cap", 0x8: "hardware slowdown",
                    0x10: "sync boost", 0x20: "thermal, software", 0x40: "thermal, hardware",
                    0x80: "power brake", 0x100: "display clocks"}


class Watch:
    """Lets nvidia-smi write to `file` what a device does, five times a second, within `with`."""

    def __init__(self, file, device):
        self.file, self.device = file, device

    def __enter__(self):
        with self.file.open("w") as output:
            self.process = subprocess.Popen(
                ["nvidia-smi", "--query-gpu=" + ",".join([*watched.values(), *further_fields]),
                 "--format=csv,noheader,nounits", "-i", self.device, "-lms", "200"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.DEVNULL,
                start_new_session=True)
        return self

    def __exit__(self, *_):
        end_group(self.process)

    def summary(self):
        """Returns minimum, median and maximum of each column, and the throttle reasons seen, of the
        samples in which the device worked, and how many they are."""
        rows = [[cell.strip() for cell in row] for row in csv.reader(self.file.open())]
        all_rows = [row for row in rows if len(row) == len(watched) + len(further_fields)]
        rows = [row for row in all_rows if row[-2] != "0"]
        columns = {}
        for name, cells in zip(watched, zip(*rows)):
            numbers = [float(cell) for cell in cells if re.fullmatch(r"[\d.]+", cell)]
            if numbers:
                columns[name] = [min(numbers), statistics.median(numbers), max(numbers)]
        seen = 0
        for row in rows:
            seen |= int(row[-1], 16) if row[-1].startswith("0x") else 0
        reasons = [name for bit, name in throttle_reasons.items() if seen & bit]
        return {"samples": len(rows), "idle samples": len(all_rows) - len(rows),
                "columns": columns, "throttled by": reasons}


def end_group(process):
    """Ends a process and all that remains of its group."""
    for how, grace in [(signal.SIGTERM, 3), (signal.SIGKILL, 5)]:
        try:
            os.killpg(process.pid, how)
            process.wait(grace)
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            pass


# ---------------------------------------------------------------- bounds

def kernels_of(shape, metrics):
    """Returns what kernels/kernel_table.md may call the kernel of a resident row; []: several."""
    swept = {"DTW": 1, "DTW nDTW PC AD MD": 7}
    quantities = swept.get(metrics, 63) + 64  # with PL(R), which comes with the reference
    if shape.startswith("points"):
        lanes = "32, 16, 2" if "1000" in shape else "8, 8, 1"
        return [f"score_pairs_of_points<{lanes}, {swept.get(metrics, 7)}, true>"]
    if shape == "long 1000x1000":  # has no kernel of the five
        arguments = f"32, 16, 2, {65 if metrics == 'DTW' else 127}, true"
        return [f"score_pairs_in_shared_table<{arguments}>", f"score_pairs<{arguments}, true>"]
    names = {"R2R-like 6x6": ["score_in_shared_table<6"],
             "R4R-like 12x14": ["score_in_shared_table<12"],
             "shared reference 12x14": ["score_replicated_reference<12",
                                        "score_shared_reference<12"]}.get(shape, [])
    return [f"{name}, {quantities}, true>" for name in names]


Bound = collections.namedtuple("Bound", "rate unit")  # per second, of pairs or of cells
bounded = "an H200"  # the device of the bounds in kernels/kernel_table.md


def read_bounds(text):
    """Returns the bounds of kernels/kernel_table.md by kernel: of whole pairs where it has them."""
    bounds = {}
    for line in text.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if "kernel" in cells:
            column = cells.index("bound") if "bound" in cells else 0  # 0: a table without bounds
            kernel, whole = cells.index("kernel"), "work" in cells
        elif "<" in line and line.startswith("|") and re.fullmatch(r"[\d.]+", cells[column]):
            of_pairs = whole and not cells[0].startswith("points")
            bound = Bound(float(cells[column]) * (1e9 if of_pairs else 1e12),
                          "pairs" if of_pairs else "cells")
            bounds.setdefault(cells[kernel], bound)
    return bounds


def bound_of(row, bounds):
    """Returns the bound of a row of warpath bench; None where there is none."""
    if row["group"] != "resident":
        return None
    found = [bounds[name] for name in kernels_of(row["shape"], row["metrics"]) if name in bounds]
    return found[0] if found else None


# ---------------------------------------------------------------- ncu

counters = {
    "time, µs": "gpu__time_duration.sum",
    "warps active, %": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "issue, %": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "ALU, %": "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
    "FMA, %": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "FMA heavy, %": "sm__inst_executed_pipe_fmaheavy.avg.pct_of_peak_sustained_active",
    "XU, %": "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
    "LSU, %": "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
    "shared loads, wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "of them conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "L1 hits, %": "l1tex__t_sector_hit_rate.pct", "DRAM, MB": "dram__bytes.sum",
    "blocks by registers": "launch__occupancy_limit_registers",
    "blocks by shared memory": "launch__occupancy_limit_shared_mem",
} | {f"stalled: {name.replace('_', ' ')}":
     f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio"
     for name in ["long_scoreboard", "short_scoreboard", "math_pipe_throttle", "mio_throttle",
                  "lg_throttle", "wait", "not_selected", "barrier"]}
scales = {"second": 1e6, "msecond": 1e3, "ms": 1e3, "usecond": 1.0, "us": 1.0, "nsecond": 1e-3,
          "ns": 1e-3, "byte": 1e-6, "Kbyte": 1e-3, "Mbyte": 1.0, "Gbyte": 1e3}


def read_counters(text):
    """Returns the counters of each launch in ncu's output, as --csv --page raw prints it, by the
    kernel's name and <<<blocks, threads>>>."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    rows = list(csv.reader(lines))
    if len(rows) < 3 or "Kernel Name" not in rows[0]:
        return {}
    header, unit = rows[0], dict(zip(rows[0], rows[1]))
    kernels = {}
    for row in rows[2:]:
        cells = dict(zip(header, row))
        name = re.sub(r"^void |warpath::kernels::|\(.*", "", cells["Kernel Name"])
        blocks, threads = (math.prod(map(int, re.findall(r"\d+", cells.get(size, ""))))
                           for size in ["Grid Size", "Block Size"])
        launch, again = f"{name}<<<{blocks}, {threads}>>>", 1
        while launch in kernels:
            again += 1
            launch = f"{name}<<<{blocks}, {threads}>>>, launch {again}"
        numbers = kernels[launch] = {}
        for label, metric in counters.items():
            value = cells.get(metric, "").replace(",", "")
            if re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", value):
                numbers[label] = float(value) * scales.get(unit[metric], 1.0)
    return kernels


def state_of(parts):
    """Returns the state of a step of these parts: the worst of theirs."""
    states = [part["state"] for part in parts]
    for state in ["failed", "not run", "not finished", "passed"]:
        if state in states:
            return state
    return "not available"


def test_numbers(suite):
    """Returns the numbers of a suite of a JUnit report: its tests, and what failed or was skipped."""
    tests, failures, errors, skipped = (int(suite.get(name, 0)) for name in
                                        ["tests", "failures", "errors", "skipped"])
    return {"tests": tests, "failed": failures + errors, "skipped": skipped}


# ---------------------------------------------------------------- Markdown

def number(value):
    """Returns three digits of a number, in thousands, millions or billions."""
    for size, unit in [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k")]:
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def table(header, rows):
    left = sum(title[:1] == "<" for title in header)
    yield "| " + " | ".join(title.lstrip("<") for title in header) + " |"
    yield "|" + ":--|" * left + "--:|" * (len(header) - left)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def rate_rows(rows, bounds):
    for row in rows:
        low, median, high = (row["per_second"][key] for key in ["low", "median", "high"])
        bound = bound_of(row, bounds)
        reached = median * (row["cells"] if bound and bound.unit == "cells" else 1)
        yield [row["shape"], row["metrics"], number(row["pairs"]), number(median),
               f"{100 * (high - low) / median:.0f} %", number(row["pairs"] / median * 1e6),
               number(median * row["cells"]),
               f"{number(bound.rate)} {bound.unit}" if bound else "",
               f"{100 * reached / bound.rate:.0f} %" if bound else ""]


def bandwidth_line(bandwidth):
    return "GB/s: " + ", ".join(f"{value:.4g} {name}" for name, value in bandwidth.items()) + "."


def bench_lines(bench):
    """Lays out what warpath bench measured."""
    groups = collections.OrderedDict()
    for row in bench["rows"]:
        groups.setdefault(row["group"], []).append(row)
    bounds = read_bounds((root / "kernels" / "kernel_table.md").read_text())
    for group, rows in groups.items():
        yield from ["", f"## {group[0].upper()}{group[1:]}", ""]
        header = ["<pairs", "<metrics", "pairs", "pairs/s", "spread", "µs a call", "cells/s",
                  f"bound of {bounded}", "share of it"]
        lines = list(rate_rows(rows, bounds))
        used = [k for k in range(len(header)) if k < 6 or any(line[k] for line in lines)]
        yield from table([header[k] for k in used], [[line[k] for k in used] for line in lines])
    if bench.get("cpu"):
        yield from ["", "## The CPU of this machine", ""]
        yield from table(["<pairs", "<metrics", "one thread", "all threads", "reference"],
                         [[row["shape"], row["metrics"], *(
                             number(row[key]) if row[key] else ""
                             for key in ["one_thread", "all_threads", "reference"])]
                          for row in bench["cpu"]])


def watch_lines(seen):
    yield from ["", f"Meanwhile ({seen['samples']} samples; {seen['idle samples']} of an idle "
                "device are left out):", ""]
    yield from table(["<", "minimum", "median", "maximum"],
                     [[name, *(f"{value:.4g}" for value in values)]
                      for name, values in seen["columns"].items()])
    yield from ["", "Clocks were held back by: " + (", ".join(seen["throttled by"]) or "nothing") +
                "."]


def counter_lines(kernels):
    yield from ["", "## Counters of ncu", "", "One launch of each kernel and grid.", ""]
    for name, numbers in kernels.items():
        yield f"* `{name}`: " + ", ".join(f"{label} {number(value)}"
                                          for label, value in numbers.items())


longest_reason = 200  # characters of it in a table; gpu-check.log has all


def short(part):
    """Returns a few words on a part, for the table."""
    if part["state"] != "passed":
        why = part["why"].splitlines()[0].replace("|", "\\|")
        why = why if len(why) <= longest_reason else why[:longest_reason] + " …"
        return f"{part['name']} {part['state']}: {why}"
    numbers = ", ".join(f"{value} {name}" for name, value in part["numbers"].items()
                        if isinstance(value, int))
    return f"{part['name']}: {numbers}" if numbers else part["name"]


def head_lines(report):
    device, machine = report["device"], report["machine"]
    yield from [f"# GPU check, {report['date'][:10]}", ""]
    yield "No GPU found;" if not device else (
        f"{device['name']}, compute capability {device['compute_cap']}, "
        f"{device['memory_mib']} MiB, driver {device['driver']}; at the start SM at "
        f"{device['sm_mhz']} of {device['sm_max_mhz']} MHz, memory at {device['memory_mhz']} of "
        f"{device['memory_max_mhz']} MHz;")
    yield (f"nvcc {machine['nvcc']}, {machine['compiler']}; {machine['cores']} cores of "
           f"{machine['cpu']}, {machine['system']}; commit {report['commit'] or 'unknown'}.")


def step_lines(report):
    yield from ["", "| step | result | seconds | |", "|:--|:--|--:|:--|"]
    for step in report["steps"]:
        what = [short(part) for part in step["parts"]] if step["name"] != "device" else []
        if len({part.get("why", part["name"]) for part in step["parts"]}) == 1 < len(what):
            what = [f"all of it {short({**step['parts'][0], 'name': ''}).strip()}"]
        yield (f"| {step['name']} | {step['state']} | {step['seconds']:.1f} | "
               f"{'; '.join(what)} |")


def markdown(report):
    lines = [*head_lines(report), *step_lines(report)]
    parts = [part["numbers"] for step in report["steps"] for part in step["parts"]]
    for numbers in (part for part in parts if part.get("bench", {}).get("bandwidth")):
        lines += ["", bandwidth_line(numbers["bench"]["bandwidth"])]
        break
    for numbers in parts:
        if "bench" in numbers:
            lines += bench_lines(numbers["bench"])
        if "watched" in numbers:
            lines += watch_lines(numbers["watched"])
        if "counters" in numbers:
            lines += counter_lines(numbers["counters"])
        if "runs" in numbers:
            lines += ["", "## Benchmarks of the host's part", "",
                      *table(["<benchmark", "time", "items/s"],
                             [[run["name"], f"{run['real_time']:.4g} {run['time_unit']}",
                               f"{run.get('items_per_second', math.nan):.4g}"]
                              for run in numbers["runs"]])]
    return "\n".join(lines) + "\n"


def result_file(folder, report):
    """Returns the file in which results of a device and a day are kept."""
    device = re.sub(r"[^a-z0-9]+", "-", report["device"]["name"].lower()).strip("-")
    return folder / f"{device}-{report['date'][:10]}.md"
