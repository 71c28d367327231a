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
    const late = [...document.scripts].some((one) => one.text.includes("drawAgain"));
    const out = late ? [] : [...document.querySelectorAll("[data-repeated]")];
    window.takenOut = out.map((one) => {
        const place = document.createComment("repeated");
        one.replaceWith(place);
        return [place, one];
    });
}"""
"""Takes out the rows and items that have the same elements, attributes and classes as three before:
half of the time would be theirs. A report that draws anew needs them all: there they are left out.
"""
PUT_BACK = """() => {
    for (const [place, one] of window.takenOut.reverse()) place.replaceWith(one);
    for (const one of document.querySelectorAll("[data-repeated]")) delete one.dataset.repeated;
}"""


SHAPES = """() => {
    const known = new Map();
    const ground = (one) => {
        if (!(one instanceof Element)) return "";
        if (known.has(one)) return known.get(one);
        const look = getComputedStyle(one);
        const behind = [look.backgroundColor, look.backgroundImage, look.opacity, look.filter];
        const flows = look.position === "static" || look.position === "relative";
        const plain = flows && behind.join(" ") === "rgba(0, 0, 0, 0) none 1 none";
        const made = ground(one.parentNode) + (plain ? "" : `${behind} ${look.position};`);
        known.set(one, made);
        return made;
    };
    const shape = (one) => {
        const look = getComputedStyle(one);
        const off = one.closest(":disabled, [aria-disabled=true]") || one.control?.disabled;
        return [
            ground(one), one.localName, Boolean(off),
            look.color, look.fill, look.fontSize, look.fontWeight, look.textShadow,
        ].join(" ");
    };
    const said = (one) => one.matches("input, select, textarea")
        || [...one.childNodes].some((part) => part.nodeType === 3 && part.data.trim());
    const shapes = new Set();
    for (const one of document.querySelectorAll("body, body *")) {
        delete one.dataset.shape;
        if (!said(one) || !one.checkVisibility({visibilityProperty: true})) continue;
        one.dataset.shape = shape(one);
        shapes.add(one.dataset.shape);
    }
    return [...shapes];
}"""
"""Marks what has a text by all that its contrast depends on: colors, sizes, what is behind it."""
RUN = """async ([fresh, options]) => {
    const wanted = new Set(fresh), taken = new Set();
    for (const one of document.querySelectorAll("[data-shape]")) {
        one.dataset.taken = wanted.has(one.dataset.shape) && !taken.has(one.dataset.shape);
        taken.add(one.dataset.shape);
    }
    axe.configure({rules: [{id: "color-contrast", selector: "[data-taken=true]"}]});
    const found = await axe.run({exclude: [["[data-repeated]"]]}, options);
    const contrast = found.passes.filter((rule) => rule.id === "color-contrast");
    const fine = contrast.flatMap((rule) => rule.nodes.map((one) => one.element.dataset.shape));
    const bare = (html) => html.replace(/ data-(shape|taken)="[^"]*"/g, "");
    const plain = (node) => ({html: bare(node.html)});
    return [found.violations.map((one) => ({...one, nodes: one.nodes.map(plain)})), fine];
}"""
DRAWN = """async () => {
    const late = [...document.scripts].some((one) => one.text.includes("drawAgain"));
    if (late) await new Promise((done) => setTimeout(done, 200));
    for (let frame = 0; frame < 2; frame++)
        await new Promise((done) => requestAnimationFrame(done));
    await Promise.all(document.getAnimations().map((one) => one.finished));
}"""
"""Waits until what follows the size of the window is drawn anew."""
OPTIONS = {"preload": False, "selectors": False, "elementRef": True}
_fine: dict[str, set[str]] = {look: set() for look in LOOKS}
"""Shapes whose contrast was enough on a page before: most of the time of axe-core is for that."""


def findings(page: Any, weights: Collection[str] = WEIGHTS) -> list[str]:
    """What is wrong with a page in each look; it is opened once, since looks are style alone.

    Contrast is measured once for all texts of the same colors and sizes on the same ground.
    """
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
        page.evaluate(DRAWN)
        fresh = [shape for shape in page.evaluate(SHAPES) if shape not in _fine[look]]
        options = {**OPTIONS, **({"runOnly": rules} if rules else {})}
        found, fine = page.evaluate(RUN, [fresh, options])
        _fine[look].update(fine)
        wrong += [
            f"{look}: {one['id']}: {one['help']}: {node['html'][:160]}"
            for one in found
            if one["impact"] in weights
            for node in one["nodes"]
        ]
    page.evaluate(PUT_BACK)
    return wrong
