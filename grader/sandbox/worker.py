"""The only module that runs student code. It knows no suite, no solution and no gradebook.

It imports the submission's module, puts an ``Engine`` over its names and answers requests until
the channel closes. Nothing a worker says is believed: it has no way to say "passed", only to
hand over values.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.util
import linecache
import os
import random
import sys
from collections.abc import Mapping, Sequence
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import torch

from grader.sandbox.channel import Channel
from grader.sandbox.describe import Values, describe
from grader.sandbox.devices import given_up_over, keep_exact, seed_all
from grader.sandbox.engine import Engine
from grader.sandbox.fonts import find_own_fonts_only
from grader.sandbox.forbidden import as_refusal, forbid_for_good
from grader.sandbox.own_text import unpacked
from grader.sandbox.uncompiled import run_uncompiled, was_compiling_asked_for


class SubmissionFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the submission's modules from memory, after everything else Python can find."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.sources = sources
        self.compiled: dict[str, CodeType] = {}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.sources:
            return None
        return importlib.util.spec_from_loader(name, self, origin=f"<submission>/{name}.py")

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        filename, source = f"<submission>/{name}.py", self.sources[name]
        module.__file__ = filename
        if name not in self.compiled:
            self.compiled[name] = compile(source, filename, "exec", dont_inherit=True)
            linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        exec(self.compiled[name], module.__dict__)


_finder = SubmissionFinder({})


def load_submission(
    sources: Mapping[str, str] | None,
    module: str,
    forbids: Sequence[str],
    *,
    again: bool = False,
) -> Mapping[str, Any]:
    """Import ``module`` afresh out of ``sources`` (module name -> text), or of those sent last;
    returns its names. What is loaded already and will do ``again`` is not imported. What it
    ``forbids`` is forbidden as long as this process lives.
    """
    global _finder
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    forbid_for_good(forbids)
    if sources is not None:
        _finder = SubmissionFinder(sources)
    sys.meta_path[:] = [f for f in sys.meta_path if not isinstance(f, SubmissionFinder)]
    sys.meta_path.append(_finder)
    if sources is not None or not again:
        for name in _finder.sources:
            sys.modules.pop(name, None)
    names = vars(importlib.import_module(module))
    keep_exact()
    return names


def begin_chance(seed: int) -> None:
    """Begin all random numbers, which asks whether there is a GPU: never before a fork, for the
    driver that answers does not survive one.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)
    seed_all(seed)


def prepare() -> None:
    """What right answers lean on is to work without threads, processes and compilers."""
    run_uncompiled()
    find_own_fonts_only()
    # Who prints a traceback looks up its lines; ours are none of the submission's business.
    for name, module in list(sys.modules.items()):
        if name.startswith("grader") and getattr(module, "__file__", None):
            linecache.cache[str(module.__file__)] = (0, None, [], str(module.__file__))


def keep_only_libraries(readable: Sequence[str]) -> None:
    """Take every folder but Python's own out of the import path, the grader's own included, and
    write no bytecode.
    """
    folders = tuple(os.path.realpath(folder) + os.sep for folder in readable)
    inside = [path for path in sys.path if (os.path.realpath(path) + os.sep).startswith(folders)]
    sys.path[:] = inside
    for package in ("grader", "grader.sandbox"):
        sys.modules[package].__path__ = []
    sys.dont_write_bytecode = True


class Printer:
    """Stands for stdout and stderr: hands printed text to the trusted side, a piece at a time."""

    encoding, errors = "utf-8", "replace"

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.text: list[str] = []
        self.size = 0

    def write(self, text: str) -> int:
        self.text.append(str(text))
        self.size += len(text)
        if self.size > 4096:
            self.flush()
        return len(text)

    def flush(self) -> None:
        text, self.text, self.size = "".join(self.text), [], 0
        for start in range(0, len(text), 65536):
            self.channel.send({"printed": text[start : start + 65536]})

    def isatty(self) -> bool:
        return False


def serve(channel: Channel) -> None:
    """Answer requests until the channel closes. The first one loads the submission."""
    engine = Engine({})
    printer = Printer(channel)

    def ask(request: Values) -> Values:
        channel.send({"asks": request})
        answer: Values = channel.receive(inputs=True)["answer"]
        return answer

    sys.stdout = sys.stderr = printer
    while True:
        request = channel.receive(inputs=True)
        if request["op"] == "import":
            arguments = {key: value for key, value in request.items() if key != "op"}
            try:
                if late := given_up_over():  # in the check before
                    raise late
                if arguments["sources"] is not None:
                    arguments["sources"] = unpacked(arguments["sources"])
                begin_chance(arguments.pop("seed"))
                engine = Engine(load_submission(**arguments), ask=ask)
                reply: Values = {"value": [n for n in engine.names if not n.startswith("_")]}
            except BaseException as error:
                reply = {"raised": describe(as_refusal(error))}
        else:
            reply = engine.perform(request)
        printer.flush()
        if was_compiling_asked_for():
            reply["uncompiled"] = True
        try:
            channel.answer(reply)
        except (TypeError, ValueError, RuntimeError, RecursionError, MemoryError) as error:
            channel.send({"raised": describe(error)})
