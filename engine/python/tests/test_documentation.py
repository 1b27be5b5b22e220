"""Runs the documentation examples and the example scripts, and checks the type stubs."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import multisplit
from multisplit import _native

PACKAGE = Path(multisplit.__file__).parent
SOURCES = Path(__file__).parents[1]
MODULES = [name for _, name, _ in pkgutil.iter_modules([str(PACKAGE)]) if name not in ("_native", "dask")]


@pytest.mark.parametrize("name", ["multisplit", *(f"multisplit.{module}" for module in MODULES)])
def test_docstring_examples_run(name: str) -> None:
    with np.printoptions(legacy=False):
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_all_public_names_have_docstrings() -> None:
    for name in multisplit.__all__:
        if not name.startswith("__") and name != "HAS_GLSL":
            assert getattr(multisplit, name).__doc__, name


def test_guide_examples_run() -> None:
    """Runs all Python blocks of docs/python.md and the package's README in order."""
    for page in (SOURCES.parents[1] / "docs" / "python.md", SOURCES / "README.md"):
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
        assert blocks
        names: dict[str, object] = {}
        for block in blocks:
            if ">>>" in block:
                test = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
                assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
                names = test.globs
            else:
                exec(compile(block, str(page), "exec"), names)  # noqa: S102


@pytest.mark.parametrize("script", sorted(path.name for path in (SOURCES / "examples").glob("*.py")))
def test_example_script_runs(script: str, tmp_path: Path) -> None:
    command = [sys.executable, str(SOURCES / "examples" / script)]
    done = subprocess.run(command, timeout=300, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_stubs_match_the_native_module() -> None:
    tree = ast.parse((PACKAGE / "_native.pyi").read_text())
    declared = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    declared |= {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)}
    present = {name for name in dir(_native) if not name.startswith("__")} | {"__version__"}
    assert declared == present
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        own = {method for method in vars(getattr(_native, name)) if not method.startswith("__")}
        assert own <= methods, name


def test_mypy_accepts_a_program_that_uses_every_function() -> None:
    pytest.importorskip("mypy")
    program = Path(__file__).with_name("typed_program.py")
    text = program.read_text()
    functions = [name for name in multisplit.__all__ if name.islower() and not name.startswith("__")]
    assert not [name for name in functions if f"multisplit.{name}(" not in text]
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir"]
    command += [str(SOURCES / ".mypy_cache"), str(program)]
    environment = {**os.environ, "MYPYPATH": str(SOURCES / "python")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=SOURCES, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_typed_program_runs() -> None:
    command = [sys.executable, str(Path(__file__).with_name("typed_program.py"))]
    done = subprocess.run(command, timeout=300, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_mypy_accepts_the_package() -> None:
    pytest.importorskip("mypy")
    assert (PACKAGE / "py.typed").exists()
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(SOURCES / ".mypy_cache")]
    for module in ("multisplit", *(f"multisplit.{name}" for name in MODULES)):
        command += ["-m", module]
    environment = {**os.environ, "MYPYPATH": str(SOURCES / "python")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=SOURCES, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
