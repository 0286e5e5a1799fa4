"""compat.install(): what it replaces, the numbers of it, and that everything comes back."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import math
import pathlib
import pickle
import random
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest
from made_packages import make_dtw, make_evaluator, make_fastdtw
from warpath import UsageError, compat
from warpath.compat import installation

BUILDS = ("pure", "compiled")
PACKAGES = ("fastdtw", "dtw")


def norm(a: Any, b: Any) -> Any:
    """As VLN-CE has it."""
    return np.linalg.norm(np.array(b) - np.array(a), ord=2)


@pytest.fixture
def loaded() -> Iterator[Any]:
    """Loads made-up modules in the place of any that the interpreter has."""
    replaced: dict[Any, Any] = {}
    for name in list(sys.modules):
        if name.split(".")[0] in PACKAGES:
            replaced[name] = sys.modules.pop(name)
    missing: set[Any] = {*PACKAGES} - {*replaced}

    def load(module: Any, name: Any = None) -> Any:
        name = module.__name__ if name is None else name
        missing.add(name)
        sys.modules[name] = module
        return module

    yield load
    for name in missing:
        sys.modules.pop(name, None)
    sys.modules.update(replaced)


def named(name: str, **values: Any) -> types.ModuleType:
    module = types.ModuleType(name)
    vars(module).update(values)
    return module


def places(installed: compat.Installed) -> set[tuple[str, str, str]]:
    prefix = "warpath.compat."
    return {(r.module, r.name, r.function.removeprefix(prefix)) for r in installed.replaced}


def reason(installed: compat.Installed, name: str) -> str:
    (found,) = (left.reason for left in installed.left_alone if left.name == name)
    return found


def is_same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    return bool(a == b or a != a and b != b)


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)


# The packages


DISTANCES: list[Any] = [
    norm,
    lambda a, b: float(norm(a, b)),
    lambda a, b: np.float32(norm(a, b)),  # sums of these round
    lambda a, b: int(np.abs(np.array(a) - np.array(b)).sum()),
    lambda a, b: 0 if np.all(np.array(a) == np.array(b)) else norm(a, b),
    lambda a, b: np.abs(np.array(a) - np.array(b)).sum(),
    lambda a, b: 1 / 0,
    None,
    1,
    2,
    0,
    "euclidean",
]


def compare_fastdtw(original: Any, exact: Any, package: Any, count: int) -> None:
    assert original is not package.fastdtw and exact is not package.dtw
    draw = np.random.default_rng(3)
    for k in range(count):
        x, y = (np.cumsum(draw.normal(size=(int(n), 3)), 0) for n in draw.integers(1, 40, 2))
        if k % 3 == 0:
            x, y = np.rint(x), np.rint(y)
        if k % 5 == 0:
            x, y = x[:, 0], y[:, 0]
        dist = DISTANCES[k % len(DISTANCES)]
        forms = (x, y), (x.tolist(), y.tolist()), (x.astype(np.float32), y)
        x, y = forms[k // len(DISTANCES) % 3]
        radius = 1 + k % 4
        expected = outcome(original, x, y, radius, dist)
        assert is_same(outcome(package.fastdtw, x, y, radius, dist=dist), expected), (k, dist)
        if k % 3 == 0:
            expected = outcome(exact, x, y, dist)
            assert is_same(outcome(package.dtw, x, y, dist=dist), expected), (k, dist)
    for args in ((), ([1.0],), ([1.0, 2.0], [[1.0]]), ([1.0], [1.0], 1, None, 5)):
        assert is_same(outcome(package.fastdtw, *args), outcome(original, *args))


@pytest.mark.parametrize("build", BUILDS)
def test_fastdtw_gives_the_numbers_of_its_build(loaded: Any, build: str) -> None:
    package = loaded(make_fastdtw(build))
    original, exact = package.fastdtw, package.dtw
    with compat.install("fastdtw") as installed:
        module = "fastdtw"
        assert places(installed) == {(module, "fastdtw", "fastdtw"), (module, "dtw", "exact_dtw")}
        assert all(f"{build} build, to the last bit" in r.numbers for r in installed.replaced)
        assert not installed.left_alone
        calls = package.calls
        package.fastdtw([[0.0, 1.0]] * 20, [[1.0, 0.0]] * 20, dist=norm)
        assert package.calls == calls  # the original is not called
        compare_fastdtw(original, exact, package, 3 * len(DISTANCES))
    assert package.fastdtw is original and package.dtw is exact


def test_the_installed_package_fastdtw() -> None:
    package = pytest.importorskip("fastdtw", reason="the package fastdtw is not installed")
    original, exact = package.fastdtw, package.dtw
    with compat.install("fastdtw") as installed:
        assert ("fastdtw", "fastdtw", "fastdtw") in places(installed)
        assert ("fastdtw", "dtw", "exact_dtw") in places(installed)
        (build,) = {r.numbers.split(", ")[1].split()[0] for r in installed.replaced}
        assert build == ("compiled" if "_fastdtw" in original.__module__ else "pure")
        compare_fastdtw(original, exact, package, 10 * len(DISTANCES))
    assert package.fastdtw is original and package.dtw is exact


def compare_dtw(original: Any, package: Any) -> None:
    assert original is not package.dtw
    draw = np.random.default_rng(4)
    for k in range(40):
        x, y = (np.cumsum(draw.normal(size=(int(n), 3)), 0) for n in draw.integers(1, 20, 2))
        if k % 3 == 0:
            x, y = np.rint(x), np.rint(y)
        if k % 7 == 0:
            x[-1, 0] = np.nan
        for dist in (norm, lambda a, b: np.float32(norm(a, b)), lambda a, b: math.inf):
            expected = outcome(original, x, y.tolist(), dist)
            assert is_same(outcome(package.dtw, x, y.tolist(), dist), expected), k
        window = max(5, abs(len(x) - len(y)))
        expected = outcome(original, x, y, norm, w=window)
        assert is_same(outcome(package.dtw, x, y, norm, w=window), expected), k


@pytest.mark.parametrize("version", ["1.3", "1.4"])
def test_dtw_gives_the_numbers_of_its_version(loaded: Any, version: str) -> None:
    package = loaded(make_dtw(version))
    original = package.dtw
    with compat.install("dtw") as installed:
        assert places(installed) == {("dtw", "dtw", "dtw")}
        assert f"of dtw {version}, to the last bit" in installed.replaced[0].numbers
        compare_dtw(original, package)
    assert package.dtw is original


def test_the_installed_package_dtw() -> None:
    package = pytest.importorskip("dtw", reason="the package dtw is not installed")
    original = package.dtw
    with compat.install("dtw") as installed:
        if not installed.replaced:  # dtw-python has the same name
            assert "takes (" in reason(installed, "dtw")
            return
        compare_dtw(original, package)
    assert package.dtw is original


def test_other_packages_of_these_names_stay(loaded: Any) -> None:
    def dtw(  # type: ignore[no-untyped-def]
        x, y=None, dist_method="euclidean", step_pattern="symmetric2"
    ):
        raise AssertionError("must not be called")

    package = loaded(named("dtw", dtw=dtw))
    loaded(named("fastdtw", dtw=3, fastdtw=named("fastdtw.fastdtw")))
    installed = compat.install(*PACKAGES)
    assert not installed.replaced and package.dtw is dtw
    reasons = {(left.module, left.name): left.reason for left in installed.left_alone}
    assert reasons["fastdtw", "dtw"] == "is no function"
    assert "takes (x, y=None, dist_method='euclidean'" in reasons["dtw", "dtw"]
    assert ("fastdtw", "fastdtw") not in reasons
    loaded(named("dtw", DTW=object))  # google-research r4r
    assert reason(compat.install("dtw"), "dtw") == "the module of this name has no such function"


def test_packages_are_imported_if_they_are_installed(
    loaded: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    for name in PACKAGES:
        (tmp_path / f"{name}-1.dist-info").mkdir()
        (tmp_path / f"{name}-1.dist-info/METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n"
        )
    (tmp_path / "dtw.py").write_text("raise OSError('no library')")
    (tmp_path / "fastdtw.py").write_text(
        "from made_packages import make_fastdtw\n"
        "globals().update(vars(make_fastdtw('pure')))\n__name__ = 'fastdtw'\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    with compat.install(*PACKAGES) as installed:
        from fastdtw import fastdtw  # type: ignore[import-not-found,unused-ignore]

        assert ("fastdtw", "fastdtw", "fastdtw") in places(installed)
        assert reason(installed, "dtw") == "importing it raises OSError"
        assert fastdtw([1.0, 2.0], [2.0])[0] == 1
        assert fastdtw.__wrapped__ is not fastdtw


def test_packages_that_are_absent(loaded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    installed = compat.install()
    for name in PACKAGES:
        assert reason(installed, name) == "the package is not installed"
        assert name not in sys.modules


# Where it is replaced


def test_names_before_and_after(loaded: Any) -> None:
    package = loaded(make_fastdtw("pure"))
    original = package.fastdtw
    before = loaded(named("made_trainer", fd=original, fastdtw=original, other=3))
    twice = loaded(before, "made_trainer_again")
    keeper = types.SimpleNamespace(dtw=original)
    installed = compat.install("fastdtw")
    assert {("made_trainer", "fd", "fastdtw"), ("made_trainer", "fastdtw", "fastdtw")} < places(
        installed
    )
    assert len(installed.replaced) == 4 and twice.fd is before.fd
    ours = package.fastdtw
    assert before.fd is ours and before.fastdtw is ours and keeper.dtw is original
    after = loaded(named("made_later", fastdtw=ours))
    keeper.later = ours
    assert pickle.loads(pickle.dumps(ours)) is ours and ours.__name__ == "fastdtw"
    order = list(vars(before))
    before.fastdtw = len  # the program's own change stays
    installed.uninstall()
    assert before.fd is original and before.fastdtw is len and after.fastdtw is original
    assert package.fastdtw is original and list(vars(before)) == order
    calls = package.calls
    assert keeper.later([1.0, 3.0], [1.0])[0] == 2  # asks the original from now on
    assert package.calls == calls + 1


def test_str_says_what_was_done(loaded: Any) -> None:
    loaded(make_fastdtw("compiled"))
    with compat.install("fastdtw", "cal_dtw") as installed:
        lines = str(installed).splitlines()
    numbers = "FastDTW of fastdtw 0.3.4, compiled build, to the last bit"
    assert f"fastdtw.fastdtw: warpath.compat.fastdtw, {numbers}" in lines
    loaded_none = "no loaded module has it; import the evaluator first"
    assert f"cal_dtw: left alone, {loaded_none}" in lines and len(lines) == 3


# Evaluators


def made_graph(seed: int) -> tuple[Any, Any]:
    draw = random.Random(seed)
    names = [f"v{k}" for k in range(12)]
    distances = {a: {b: 0.0 if a == b else draw.uniform(0, 9) for b in names} for a in names}
    return distances, lambda: [draw.choice(names) for _ in range(draw.randint(1, 9))]


def test_evaluators_functions(loaded: Any) -> None:
    module = loaded(make_evaluator())
    environment = loaded(named("made_env", cal_dtw=module.cal_dtw, cls=module.cal_cls))
    originals = module.cal_dtw, module.cal_cls
    with compat.install("cal_dtw", "cal_cls") as installed:
        assert places(installed) == {
            ("made_eval_utils", "cal_dtw", "cal_dtw"),
            ("made_eval_utils", "cal_cls", "cal_cls"),
            ("made_env", "cal_dtw", "cal_dtw"),
            ("made_env", "cls", "cal_cls"),
        }
        distances, walk = made_graph(1)
        for _ in range(100):
            p, r = walk(), walk()
            assert is_same(
                [*environment.cal_dtw(distances, p, r, threshold=2.0).values()],
                [*originals[0](distances, p, r, threshold=2.0).values()],
            )
            with np.errstate(all="ignore"):
                expected = originals[1](distances, p, r)
                found = environment.cls(distances, p, r)
            assert type(found) is type(expected)
            assert found == pytest.approx(expected, abs=1e-12, nan_ok=True)
        with pytest.warns(RuntimeWarning):  # 0/0, as the original
            assert math.isnan(environment.cls(distances, ["v1"], ["v1"]))
        short = {a: {b: np.float32(d) for b, d in row.items()} for a, row in distances.items()}
        p, r = ["v1", "v2"], ["v3", "v4", "v5"]
        assert is_same(environment.cls(short, p, r), originals[1](short, p, r))
        nowhere = distances | {"v1": {}}
        assert outcome(module.cal_dtw, nowhere, ["v1"], ["v2"]) == (KeyError, "'v2'")
    assert (environment.cal_dtw, environment.cls) == originals


def test_functions_that_give_other_numbers_stay(loaded: Any) -> None:
    def raising(  # type: ignore[no-untyped-def]
        shortest_distances, prediction, reference, success=None, threshold=3.0
    ):
        raise LookupError("no simulator")

    def ending(  # type: ignore[no-untyped-def]
        shortest_distances, prediction, reference, success=None, threshold=3.0
    ):
        sys.exit(3)

    def of_graph(graph, prediction, reference, success):  # type: ignore[no-untyped-def]
        raise AssertionError("must not be called")

    other = "gives other numbers for a made-up pair of paths"
    functions = {
        "at_most": (make_evaluator(is_strict=False).cal_dtw, other),
        "root": (make_evaluator(root=True).cal_dtw, other),
        "raising": (raising, "raises LookupError for a made-up pair of paths"),
        "ending": (ending, "raises SystemExit for a made-up pair of paths"),
        "of_graph": (of_graph, "takes (graph, prediction, reference, success), not (shortest_dis"),
        "cached": (functools.lru_cache(make_evaluator().cal_dtw), "is no function"),
        "mock": (mock.MagicMock(), "is no function"),
        "a_class": (type("cal_dtw", (), {}), "is no function"),
        "ours": (compat.cal_dtw, "is warpath's own"),
        "none": (None, "is no function"),
    }
    for name, (function, _) in functions.items():
        loaded(named(f"made_{name}", cal_dtw=function))
    shorter = loaded(named("made_cls", cal_cls=make_evaluator(least_length=5.0).cal_cls))
    installed = compat.install()
    found = {left.module: left.reason for left in installed.left_alone}
    for name, (function, text) in functions.items():
        assert text in found[f"made_{name}"], name
        assert sys.modules[f"made_{name}"].cal_dtw is function
    assert found["made_cls"] == other and "cal_cls" in vars(shorter)
    installed.uninstall()


# How it is called


def test_unknown_names() -> None:
    with pytest.raises(KeyError, match="no function to replace 'fastdwt'.*fastdtw, dtw, cal_dtw"):
        compat.install("fastdwt")
    for name in (3, None, b"dtw", [], object()):
        with pytest.raises(KeyError, match="no function to replace"):
            compat.install(name)  # type: ignore[arg-type]


def test_twice_and_taken_back_twice(loaded: Any) -> None:
    package = loaded(make_fastdtw("pure"))
    originals = package.fastdtw, package.dtw
    first = compat.install("fastdtw", "fastdtw")
    ours = package.fastdtw
    with compat.install("fastdtw") as second:
        assert not second.replaced and package.fastdtw is ours
        assert reason(second, "fastdtw") == "is warpath.compat.fastdtw already"
        assert reason(second, "dtw") == "is warpath.compat.exact_dtw already"
    assert package.fastdtw is ours and first.is_active and not second.is_active
    first.uninstall()
    assert (package.fastdtw, package.dtw) == originals and not first.is_active
    third = compat.install("fastdtw")
    first.uninstall()  # does not take the third back
    assert package.fastdtw is not originals[0]
    with pytest.raises(UsageError, match="call install\\(\\) again"):
        first.__enter__()
    third.uninstall()
    third.uninstall()
    assert (package.fastdtw, package.dtw) == originals


def test_a_block_that_fails_is_taken_back(loaded: Any) -> None:
    package = loaded(make_fastdtw("pure"))
    original = package.fastdtw
    with pytest.raises(ZeroDivisionError):
        with compat.install("fastdtw"):
            raise ZeroDivisionError
    assert package.fastdtw is original


def test_an_installation_that_is_stopped_is_taken_back(
    loaded: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = loaded(make_fastdtw("pure"))
    originals = package.fastdtw, package.dtw
    stop = mock.Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr(installation, "Replaced", stop)
    with pytest.raises(KeyboardInterrupt):
        compat.install("fastdtw")
    assert stop.called and (package.fastdtw, package.dtw) == originals


class Answering(types.ModuleType):
    """A module that must not be asked for anything."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(name)

    def __setattr__(self, name: str, value: object) -> None:
        raise AssertionError(name)


class Meta(type):
    def __getattribute__(cls, name: str) -> Any:
        raise AssertionError(name)


class Strange(metaclass=Meta):
    def __eq__(self, other: object) -> bool:
        raise AssertionError

    def __call__(self, *_: Any) -> Any:
        raise AssertionError


def test_modules_that_answer_themselves(loaded: Any, tmp_path: pathlib.Path) -> None:
    package = loaded(make_fastdtw("pure"))
    original = package.fastdtw
    strange = loaded(Answering("made_answering"), "made_answering")
    names: Any = vars(types.ModuleType)["__dict__"].__get__(strange)
    names.update(fastdtw=original, cal_dtw=Strange())
    getter = loaded(named("made_getter", __getattr__=mock.Mock(side_effect=AssertionError)))
    loaded(types.ModuleType.__new__(types.ModuleType), "made_empty")
    loaded(None, "made_none")
    loaded(Strange(), "made_object")
    loaded(named("seven", fastdtw=original), 7)
    (tmp_path / "made_lazy.py").write_text("raise AssertionError('is loaded')")
    spec = importlib.util.spec_from_file_location("made_lazy", tmp_path / "made_lazy.py")
    assert spec is not None and spec.loader is not None
    spec.loader = importlib.util.LazyLoader(spec.loader)
    lazy = importlib.util.module_from_spec(spec)
    loaded(lazy, "made_lazy")
    spec.loader.exec_module(lazy)
    with compat.install() as installed:
        assert ("made_answering", "fastdtw", "fastdtw") in places(installed)
        assert names["fastdtw"] is package.fastdtw
        assert reason(installed, "cal_dtw") == "is no function"
    assert names["fastdtw"] is original and not getter.__getattr__.called


def test_threads(loaded: Any) -> None:
    package = loaded(make_fastdtw("compiled"))
    original = package.fastdtw
    x, y = np.random.default_rng(2).normal(size=(2, 12, 3))
    expected = original(x, y, dist=norm)
    is_over = threading.Event()
    wrong: list[Any] = []

    def score() -> None:
        while not is_over.is_set():
            found = package.fastdtw(x, y, dist=norm)
            if found != expected:
                wrong.append(found)

    def install() -> None:
        for _ in range(2):
            with compat.install("fastdtw"):
                package.fastdtw(x, y, dist=norm)

    scoring = [threading.Thread(target=score) for _ in range(2)]
    installing = [threading.Thread(target=install) for _ in range(2)]
    for thread in scoring + installing:
        thread.start()
    for thread in installing:
        thread.join()
    is_over.set()
    for thread in scoring:
        thread.join()
    assert not wrong and package.fastdtw is original
