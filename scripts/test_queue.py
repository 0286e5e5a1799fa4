"""Divides the cases of scripts/run-tests into jobs: which share a process, and which begin first."""
import collections
import fnmatch
import graphlib

max_chunk_seconds = 5.0
max_chunk_cases = 100
long_case_seconds = 2.0


def expected_seconds(case, times):
    """The time of the last run; without one, long tests are those with long limits."""
    return times.get(case.name, case.limit / (6000 if case.gtest else 100))


def make_chunks(cases, times, jobs):
    """Divides cases of one program into chunks that get shorter towards the end."""
    left = sum(expected_seconds(case, times) for case in cases)
    chunks, chunk, seconds = [], [], 0.0
    for case in cases:
        expected = expected_seconds(case, times)
        if expected >= long_case_seconds:
            chunks.append([case])
        else:
            chunk.append(case)
            seconds += expected
        left -= expected
        if chunk and (seconds >= min(max_chunk_seconds, left / (4 * jobs)) or len(chunk) >= max_chunk_cases):
            chunks.append(chunk)
            chunk, seconds = [], 0.0
    return chunks + ([chunk] if chunk else [])


def join_dependent(cases):
    """Puts tests behind those that they depend on, into one job."""
    by_name = {case.name: case for case in cases}
    needs = {case.name: [name for name in case.properties.get("DEPENDS", []) if name in by_name] for case in cases}
    jobs = {}
    for name in graphlib.TopologicalSorter(needs).static_order():
        job = []
        for member in [member for need in needs[name] for member in jobs[need]] + [by_name[name]]:
            if member not in job:
                job.append(member)
        jobs.update({member.name: job for member in job})
    return list({id(job): job for job in jobs.values()}.values())


def first_match(case, patterns):
    return next((pattern for pattern in patterns if fnmatch.fnmatchcase(case.gtest, pattern)), None)


def make_jobs(cases, times, jobs, alone, together, mixed):
    """Makes the queue, longest first: a job is a list of cases for one process, or of other tests.
    Cases that run together come before: they are long, also where no times are known."""
    programs, joined = collections.defaultdict(list), collections.defaultdict(list)
    queue = join_dependent([case for case in cases if not case.gtest])
    for case in cases:
        if not case.gtest:
            continue
        if first_match(case, alone):
            queue.append([case])
        elif pattern := first_match(case, together):
            joined[pattern, case.program()].append(case)
        else:
            programs[case.program()].append(case)
    for members in programs.values():
        if mixed:
            mixed.shuffle(members)
        queue += make_chunks(members, times, jobs)

    def seconds(job):
        return sum(expected_seconds(case, times) for case in job)

    return collections.deque([*sorted(joined.values(), key=seconds, reverse=True),
                              *sorted(queue, key=seconds, reverse=True)])
