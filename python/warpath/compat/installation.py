"""Puts the functions of ``warpath.compat`` in the place of those that a running program has."""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import sys
import threading
import types
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

from ..arguments import find_name
from ..errors import UsageError
from .replacements import (
    CAL_CLS,
    CAL_DTW,
    DTW,
    EXACT_DTW,
    FASTDTW,
    Form,
    Function,
    Kind,
    find_form,
)

_Names: TypeAlias = "dict[Any, Any]"
"""The names of a module, with their values."""

_PACKAGES: dict[str, tuple[tuple[str, ...], dict[str, Kind]]] = {
    "fastdtw": (
        ("fastdtw", "fastdtw._fastdtw", "fastdtw.fastdtw"),
        {"fastdtw": FASTDTW, "dtw": EXACT_DTW},
    ),
    "dtw": (("dtw", "dtw.dtw"), {"dtw": DTW}),
}
_FUNCTIONS = {"cal_dtw": CAL_DTW, "cal_cls": CAL_CLS}
_MARK = "_warpath_replaces"
_lock = threading.RLock()


class Replaced(NamedTuple):
    """Says which name of which module has another function now."""

    module: str
    name: str
    function: str
    """Full name of the function that it has."""
    numbers: str
    """Which numbers the function gives, and how near they are to those of the original."""


class LeftAlone(NamedTuple):
    """Says which function was not replaced; ``module`` is empty where no module has it."""

    module: str
    name: str
    reason: str


class Installed:
    """Says what ``install`` replaced, and takes it back: at the end of a ``with`` block, or by
    ``uninstall()``. ``str()`` of it lists both."""

    def __init__(self, replaced: list[Replaced], left_alone: list[LeftAlone]) -> None:
        self.replaced: tuple[Replaced, ...] = tuple(replaced)
        self.left_alone: tuple[LeftAlone, ...] = tuple(left_alone)
        self._originals: dict[int, tuple[Function, Function]] = {}
        self._is_active = True

    @property
    def is_active(self) -> bool:
        """False once it was taken back."""
        return self._is_active

    def uninstall(self) -> None:
        """Gives every name its original again, also in modules that were imported since.

        A function that a program keeps elsewhere, as in an object, calls its original from now on.
        A second call does nothing.
        """
        with _lock:
            self._is_active = False
            backwards = {id(ours): original for ours, original in self._originals.values()}
            for _ in _exchange(backwards):
                pass

    def __enter__(self) -> Installed:
        if not self._is_active:
            raise UsageError("this was uninstalled; call install() again")
        return self

    def __exit__(self, *_: object) -> None:
        self.uninstall()

    def __str__(self) -> str:
        lines = [f"{r.module}.{r.name}: {r.function}, {r.numbers}" for r in self.replaced]
        for module, name, reason in self.left_alone:
            lines.append(f"{module}{'.' if module else ''}{name}: left alone, {reason}")
        return "\n".join(lines)

    def _add(self, original: Function, form: Form) -> None:
        """Makes the function that takes an original's place. The original answers what the form
        refuses, so arguments, warnings and errors stay its own."""

        @functools.wraps(original)
        def ours(*args: Any, **kwargs: Any) -> Any:
            if self._is_active:
                try:
                    return form.call(*args, **kwargs)
                except Exception:
                    pass
            return original(*args, **kwargs)

        setattr(ours, _MARK, form.name)
        self._originals[id(original)] = ours, original


def install(*names: str) -> Installed:
    """Puts functions of ``warpath.compat`` in the place of those that a running program has.

    ==============  ===========================================================================
    name            what is replaced
    ==============  ===========================================================================
    ``fastdtw``     ``fastdtw`` and ``dtw`` of the package fastdtw, by the build that is installed
    ``dtw``         ``dtw`` of the package dtw
    ``cal_dtw``     functions of this name in any module, as VLN-DUET's and VLN-HAMT's
    ``cal_cls``     functions of this name in any module
    ==============  ===========================================================================

    A function is replaced where it takes the arguments of the one that is known, and both give the
    same types and numbers for some dozen made-up pairs of paths. Every name of a loaded module that
    holds the function is changed, so ``from fastdtw import fastdtw`` may stand before or after the
    call. The two packages are imported if they are installed; other modules have to be loaded. A
    function that a program keeps in an object, a class or a default argument is not found: call
    ``install()`` before it is put there, and in each process that is spawned.

    A call that the function here refuses, such as one with NaN or a window, goes to the original.

    Args:
        names: of the table; none for all.

    Returns:
        What was replaced, and what was left alone with the reason. It may be dropped, or taken back
        as ``with install(): ...`` does. A function that an earlier call replaced is left alone.

    Raises:
        KeyError: there is no such name.
    """
    known = [*_PACKAGES, *_FUNCTIONS]
    wanted = [find_name(known, name, "function to replace") for name in names] or known
    with _lock:
        forms: dict[int, tuple[Function, Form]] = {}
        left: list[LeftAlone] = []
        for name in dict.fromkeys(wanted):
            found = _in_package(name) if name in _PACKAGES else _in_any_module(name)
            _choose_forms(name, found, forms, left)
        return _replace(forms, left)


class _Found(NamedTuple):
    """A value that has the name of a function to replace, or the reason why there is none."""

    module: str
    name: str
    value: object
    kind: Kind


def _in_package(package: str) -> list[_Found] | str:
    problem = _import(package)
    if problem:
        return problem
    modules, kinds = _PACKAGES[package]
    loaded = dict(_loaded_modules())
    found = [
        _Found(module, name, loaded[module][name], kind)
        for module in modules
        for name, kind in kinds.items()
        if name in loaded.get(module, {})
    ]
    found = [f for f in found if not issubclass(type(f.value), types.ModuleType)]
    return found or "the module of this name has no such function"


def _import(package: str) -> str:
    """Imports a package if it is installed. Returns why it is not there, or nothing."""
    if package in sys.modules:
        return ""
    try:
        importlib.metadata.version(package)
    except Exception:
        return "the package is not installed"
    try:
        importlib.import_module(package)
    except (Exception, SystemExit) as error:
        return f"importing it raises {type(error).__name__}"
    return ""


def _in_any_module(name: str) -> list[_Found] | str:
    found = [
        _Found(module, name, values[name], _FUNCTIONS[name])
        for module, values in _loaded_modules()
        if name in values
    ]
    return found or "no loaded module has it; import the evaluator first"


def _choose_forms(
    name: str,
    found: list[_Found] | str,
    forms: dict[int, tuple[Function, Form]],
    left: list[LeftAlone],
) -> None:
    if isinstance(found, str):
        left.append(LeftAlone("", name, found))
        return
    seen: set[int] = set()
    for module, name, value, kind in found:
        if id(value) in seen:
            continue
        seen.add(id(value))
        form = _form_of(value, kind)
        if isinstance(form, str):
            left.append(LeftAlone(module, name, form))
        else:
            forms[id(value)] = value, form  # type: ignore[assignment]


def _form_of(value: Any, kind: Kind) -> Form | str:
    # Other objects may do anything when they are asked, even for an attribute.
    if type(value) is types.FunctionType:
        if _MARK in value.__dict__:
            return f"is {value.__dict__[_MARK]} already"
        if value.__module__ and str(value.__module__).startswith("warpath."):
            return "is warpath's own"
    elif not _is_compiled_function(type(value)):
        return "is no function"
    return find_form(value, kind)


def _is_compiled_function(kind: type) -> bool:
    name = type.__getattribute__(kind, "__name__")  # a metaclass may answer itself
    return kind is types.BuiltinFunctionType or name == "cython_function_or_method"


def _replace(forms: dict[int, tuple[Function, Form]], left: list[LeftAlone]) -> Installed:
    installed = Installed([], left)
    for original, form in forms.values():
        installed._add(original, form)
    replaced = []
    try:
        forwards = {key: ours for key, (ours, _) in installed._originals.items()}
        for module, name, key in _exchange(forwards):
            form = forms[key][1]
            replaced.append(Replaced(module, name, form.name, form.numbers))
    except BaseException:  # as of Ctrl-C
        installed.uninstall()
        raise
    installed.replaced = tuple(replaced)
    return installed


def _exchange(values: dict[int, Function]) -> Iterator[tuple[str, str, int]]:
    """Changes names of loaded modules from the object of an id to another, and yields which."""
    for module, names in _loaded_modules():
        for name, value in names.copy().items():
            if id(value) in values:
                names[name] = values[id(value)]
                yield module, str(name), id(value)


_names_of: Callable[[types.ModuleType], Any] = vars(types.ModuleType)["__dict__"].__get__


def _loaded_modules() -> Iterator[tuple[str, _Names]]:
    """Yields modules but warpath's, each once. Asks no module for an attribute: a lazy one would
    load, and another may run code."""
    seen = {id(None)}
    for name, module in sys.modules.copy().items():
        if type(name) is not str or not issubclass(type(module), types.ModuleType):
            continue
        names = _names_of(module)
        is_own = name == "warpath" or name.startswith("warpath.")
        if not is_own and id(names) not in seen:
            seen.add(id(names))
            yield name, names
