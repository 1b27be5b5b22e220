"""Do the examples in docstrings and in docs/dask.md run?"""

import doctest
import importlib
import re
from pathlib import Path

import dask
import pytest

PAGE = Path(__file__).parents[3] / "docs" / "dask.md"


@pytest.mark.parametrize("name", ["multisplit.dask", "multisplit.dask.sort"])
def test_docstrings(name):
    with dask.config.set(scheduler="synchronous"):
        done = doctest.testmod(importlib.import_module(name))
    assert done.attempted and not done.failed


def test_the_page():
    """The blocks of Python, one after another. What starts workers is the subject of other tests."""
    blocks = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "Client(" not in block]
    assert blocks
    names = {}
    with dask.config.set(scheduler="synchronous"):
        for block in blocks:
            exec(compile(block, str(PAGE), "exec"), names)
