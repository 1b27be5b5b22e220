"""Runs the examples in docstrings and in docs/dask.md."""

import doctest
import importlib
import re
from pathlib import Path

import dask
import pytest

PAGE = Path(__file__).parents[3] / "docs" / "dask.md"


@pytest.mark.parametrize("name", ["multisplit.dask", "multisplit.dask.sort"])
def test_docstring_examples_run(name):
    with dask.config.set(scheduler="synchronous"):
        done = doctest.testmod(importlib.import_module(name))
    assert done.attempted and not done.failed


def test_dask_page_examples_run():
    """Runs the Python blocks in order, except those that start workers, which other tests cover."""
    blocks = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "Client(" not in block]
    assert blocks
    names = {}
    with dask.config.set(scheduler="synchronous"):
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
