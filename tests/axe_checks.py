"""What axe-core finds wrong with a page, in light and wide and in dark and narrow."""

from collections.abc import Collection
from typing import Any

import pytest

WEIGHTS = ("minor", "moderate", "serious", "critical")
ALL: list[str] = []
LOOKS: dict[str, tuple[Any, Any, list[str]]] = {
    "dark and narrow": (
        "dark",
        {"width": 390, "height": 844},
        ["color-contrast", "link-in-text-block", "scrollable-region-focusable", "target-size"],
    ),
    "light and wide": ("light", {"width": 1280, "height": 860}, ALL),
}
"""Color scheme and size of the window, and the rules that depend on them: what is in a page does
not. A page is left as the last look has it.
"""
RUN = """async (options) =>
    (await axe.run({exclude: [["[data-repeated]"]]}, options)).violations"""
REPEATED = """() => {
    for (const parent of document.querySelectorAll("body, body *")) {
        const seen = {};
        for (const child of parent.children) {
            const bare = child.outerHTML.replace(/>[^<]+/g, ">");
            const shape = bare.replace(/ (?!class|style)([\\w-]+)="[^"]*"/g, " $1");
            seen[shape] = (seen[shape] || 0) + 1;
            if (seen[shape] > 3) child.dataset.repeated = "";
        }
    }
}"""
"""Marks the rows and items that have the same elements, attributes and classes as three before."""


def findings(page: Any, weights: Collection[str] = WEIGHTS) -> list[str]:
    """What is wrong with a page in each look; it is opened once, since looks are style alone."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright",
        reason="axe-core is not installed: pip install axe-playwright-python",
    )
    page.evaluate(axe.Axe().axe_script)
    page.evaluate(REPEATED)
    wrong = []
    for look, (scheme, size, rules) in LOOKS.items():
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        page.wait_for_timeout(200)  # what follows the size is drawn anew
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
        options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
        found = page.evaluate(RUN, options)
        wrong += [
            f"{look}: {one['id']}: {one['help']}: {node['html'][:160]}"
            for one in found
            if one["impact"] in weights
            for node in one["nodes"]
        ]
    return wrong
