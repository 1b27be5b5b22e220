"""Draws the pictures of python.md, beside it. Needs matplotlib."""

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import numpy as np

import multisplit

HERE = Path(__file__).parent
COLOURS = ["#33658a", "#86bbd8", "#f6ae2d", "#f26419"]
plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "multisplit", "font.size": 9})
plt.rcParams.update({"axes.spines.top": False, "axes.spines.right": False})
# The same bytes each time.
PLAIN = {"Date": None, "Creator": None}


def split() -> None:
    keys = np.random.default_rng(3).random(400, dtype=np.float32)
    edges = np.array([0.25, 0.5, 0.75], np.float32)
    parts = multisplit.split(keys, edges)
    figure, axes = plt.subplots(1, 2, figsize=(7.2, 2.4), sharey=True, constrained_layout=True)
    for axis, shown, title in ((axes[0], keys, "keys"), (axes[1], parts.keys, "split: parts.keys")):
        colours = [COLOURS[i] for i in np.searchsorted(edges, shown, side="right")]
        axis.scatter(np.arange(shown.size), shown, s=4, c=colours, linewidths=0)
        axis.set_title(title)
        axis.set_xlabel("place")
    for offset in parts.offsets[1:-1]:
        axes[1].axvline(offset, color="black", linewidth=0.6)
    axes[0].set_ylabel("key")
    figure.savefig(HERE / "python-split.png", dpi=100)


def histogram() -> None:
    samples = np.random.default_rng(4).normal(size=200_000).astype(np.float32)
    counts, edges = multisplit.histogram(samples, bins=40)
    expected, expected_edges = np.histogram(samples, bins=40)
    figure, axis = plt.subplots(figsize=(7.2, 2.4), constrained_layout=True)
    axis.stairs(counts, edges, fill=True, color=COLOURS[1], label="multisplit.histogram")
    axis.stairs(expected, expected_edges, color=COLOURS[3], linewidth=1, label="numpy.histogram")
    axis.set_xlabel("sample")
    axis.set_ylabel("count")
    axis.legend(frameon=False)
    figure.savefig(HERE / "python-histogram.svg", metadata=PLAIN)


def shortest_paths(side: int = 100) -> None:
    number = np.arange(side * side).reshape(side, side)
    across = np.stack([number[:, :-1].ravel(), number[:, 1:].ravel()], axis=1)
    down = np.stack([number[:-1].ravel(), number[1:].ravel()], axis=1)
    edges = np.concatenate([across, down])
    weights = np.random.default_rng(5).integers(1, 100, len(edges))
    found = multisplit.sssp(edges, weights, source=int(number[side // 2, side // 2]), directed=False)
    figure, axis = plt.subplots(figsize=(3.6, 3.2), constrained_layout=True)
    shown = axis.imshow(found.distances.reshape(side, side), cmap="viridis")
    axis.contour(found.distances.reshape(side, side), levels=8, colors="white", linewidths=0.5)
    axis.axis("off")
    figure.colorbar(shown, label="distance")
    figure.savefig(HERE / "python-sssp.png", dpi=80)


if __name__ == "__main__":
    split()
    histogram()
    shortest_paths()
