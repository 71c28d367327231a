"""Take the pictures of the documentation from pages that this run makes.

Run as `make pictures`. It needs Debian's Chromium, or the one that `CHROMIUM` names.
"""

import base64
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright
from scipy.spatial import KDTree

from chronoscore.workbench import serving
from chronoscore.workbench.demo_study import add_demo
from chronoscore.workbench.store import Store, people

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
_BROWSERS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
_SYSTEMS = ("demo/careful.jsonl", "demo/quick.jsonl", "demo/lead.jsonl")
_COLOURS, _MARGIN = 128, 16
_PIXELS = """async (png) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${png}`;
    await picture.decode();
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const drawing = canvas.getContext("2d");
    drawing.drawImage(picture, 0, 0);
    const { data } = drawing.getImageData(0, 0, picture.width, picture.height);
    const reader = new FileReader();
    const read = new Promise((done) => (reader.onload = () => done(reader.result)));
    reader.readAsDataURL(new Blob([data]));
    return [picture.width, picture.height, (await read).split(",")[1]];
}"""


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def indexed_png(pixels: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    """A PNG with a palette, a third of the size: colours that are rare become the nearest one."""
    height, width, _ = pixels.shape
    red, green, blue = (pixels[:, :, band].astype(np.uint32) for band in range(3))
    packed, place, count = np.unique(
        (red << 16 | green << 8 | blue).ravel(), return_inverse=True, return_counts=True
    )
    colours = np.stack([packed >> 16, packed >> 8 & 255, packed & 255], axis=1).astype(np.uint8)
    often = np.argsort(-count, kind="stable")
    # One colour of those that look the same: shades of grey must not crowd out a rare red.
    unlike = np.unique(packed[often] & 0xF8F8F8, return_index=True)[1]
    palette = colours[often[np.sort(unlike)[:_COLOURS]]]
    nearest = np.asarray(KDTree(palette).query(colours)[1], np.uint8)[place.ravel()]
    rows = np.zeros((height, width + 1), np.uint8)  # each row begins with its filter, 0 for none
    rows[:, 1:] = nearest.reshape(height, width)
    parts = [
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        _chunk(b"PLTE", palette.tobytes()),
        _chunk(b"IDAT", zlib.compress(rows.tobytes(), 9)),
        _chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


class Camera:
    """A page at twice its size, and what was taken of it."""

    def __init__(self, browser: Any) -> None:
        self.context = browser.new_context(
            device_scale_factor=2, reduced_motion="reduce", color_scheme="light"
        )
        self.page = self.context.new_page()
        self.sizes: dict[str, int] = {}
        self._converter = browser.new_page()

    def open(self, address: str, width: int = 1100, height: int = 860) -> Any:
        """Open a page in a window of this size."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(address)
        self.page.wait_for_load_state("networkidle")
        return self.page

    def take(self, name: str, *parts: Any, margin: int = _MARGIN) -> None:
        """Take the smallest part of the page that holds these elements."""
        self.page.mouse.move(0, 0)
        self.page.wait_for_timeout(300)
        down = self.page.evaluate("scrollY")
        boxes = [part.bounding_box() for part in parts]
        left = max(min(box["x"] for box in boxes) - margin, 0)
        top = max(min(box["y"] for box in boxes) + down - margin, 0)
        right = max(box["x"] + box["width"] for box in boxes) + margin
        bottom = max(box["y"] + box["height"] for box in boxes) + down + margin
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        taken = self.page.screenshot(clip=clip, full_page=True)
        width, height, data = self._converter.evaluate(_PIXELS, base64.b64encode(taken).decode())
        pixels = np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)
        target = PICTURES / f"{name}.png"
        target.write_bytes(indexed_png(pixels[:, :, :3]))
        self.sizes[name] = target.stat().st_size


def _chronoscore(folder: Path, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "chronoscore", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
    )


def take_reports(camera: Camera, folder: Path) -> None:
    """The report of the bundled timelines, their comparison, and their leaderboard."""
    _chronoscore(folder, "demo", "--data", "demo")
    _chronoscore(folder, "demo", "--report", "reports")
    files = ("timelines", "demo/gold.jsonl", *_SYSTEMS)
    _chronoscore(folder, "compare", *files, "--report", "compare.html")
    for path in _SYSTEMS:
        saved = f"results/demo/{Path(path).stem}.json"
        _chronoscore(folder, "timelines", "demo/gold.jsonl", path, "--save", saved)
    _chronoscore(folder, "leaderboard", "results", "-o", "site")

    report = (folder / "reports/timelines.html").as_uri()
    page = camera.open(report)
    camera.take("report-timeline", page.locator("h1"), page.locator("#scores .cards").first)
    page = camera.open(report, width=1180)
    page.locator('.opened [aria-label^="gold 27 Apr 1986"]').click(force=True)
    legend = page.locator(".opened .legend")
    camera.take("timeline-case", page.locator(".case-head"), legend, margin=9)

    page = camera.open((folder / "compare.html").as_uri(), width=1000)
    note = page.get_by_text("▲ better, ▼ worse").first
    camera.take("report-compare", page.locator("#metric-1-title"), note)

    page = camera.open((folder / "site/index.html").as_uri(), width=1000)
    camera.take(
        "leaderboard", page.locator("section").first.locator("h2"), page.locator("table").first
    )


def take_workbench(camera: Camera, store: Store, address: str) -> None:
    """The study of `chronoscore serve --demo`, as its owner sees it."""
    owner = people.owner(store)
    add_demo(store, owner)
    entered = camera.context.request.post(
        serving.owner_link(store, address), headers={"origin": address}, max_redirects=0
    )
    assert entered.status == 303, entered.text()

    page = camera.open(f"{address}/projects/2")
    camera.take("workbench-cockpit", page.locator("body > header"), page.locator("table").first)

    page = camera.open(f"{address}/projects/1/agreement")
    camera.take("workbench-agreement", page.locator("h1"), page.locator("section, table").first)

    page = camera.open(f"{address}/judge/4/1", width=1200)
    page.wait_for_selector("html[data-ready]")
    for key in "101":
        page.keyboard.press(key)
    camera.take("workbench-judge", page.locator("body"))

    page = camera.open(f"{address}/batches/2/events/59", width=1200, height=1000)
    page.wait_for_selector("html[data-ready]")
    camera.take("workbench-settle", page.locator("body"))


@contextmanager
def _browser() -> Iterator[Any]:
    path = os.environ.get("CHROMIUM") or next(filter(Path.exists, _BROWSERS), _BROWSERS[-1])
    with sync_playwright() as engine:
        opened = engine.chromium.launch(
            executable_path=str(path), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield opened
        opened.close()


def main() -> None:
    """Take all pictures, and print their sizes."""
    PICTURES.mkdir(exist_ok=True)
    with TemporaryDirectory() as made, _browser() as browser:
        camera, folder = Camera(browser), Path(made)
        take_reports(camera, folder)
        with serving.running(folder / "demo.db") as (store, address):
            take_workbench(camera, store, address)
    for name, size in camera.sizes.items():
        sys.stdout.write(f"{size / 1000:6.0f} kB  docs/pictures/{name}.png\n")
    sys.stdout.write(f"{sum(camera.sizes.values()) / 1000:6.0f} kB\n")


if __name__ == "__main__":
    main()
