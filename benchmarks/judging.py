"""`python -m benchmarks.judging [--events N]`: how long an evaluator waits for the next event.

Starts a real server and Chromium, judges event after event by keys, and measures from the key `s`
until the next event is painted; then loads the same pages afresh, as a page without scripts does.
Both on loopback and with 100 ms of latency added. Ends with exit code 1 if an answer is missing or
a judgement takes more than two requests; times are printed, not enforced.
"""

import argparse
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.frame import machine
from benchmarks.workbench_load import Evaluator, prepare, serving
from chronoscore.workbench.security import PublicAddress
from chronoscore.workbench.store import Store

BARS = {0: 100, 100: 150}
"""Milliseconds from key to event, by the latency that is added."""
MOST_REQUESTS = 2
BROWSERS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
PAUSE = 250
"""Milliseconds that the evaluator looks at an event."""
WATCH_KEYS = """() => {
    window.times = [];
    let begun = 0, shown = document.getElementById("judge").dataset.url;
    const note = (event) => { if (event.key === "s") begun = event.timeStamp; };
    addEventListener("keydown", note, true);
    new MutationObserver(() => {
        const url = document.getElementById("judge")?.dataset.url;
        if (!url || url === shown) return;
        shown = url;
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - begun)));
    }).observe(document.body, { childList: true, subtree: true });
}"""
WATCH_LOADS = """new MutationObserver((_, observer) => {
    if (!document.documentElement?.dataset.ready) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => {
        window.readyAt = performance.timeOrigin + performance.now();
    }));
}).observe(document, { attributes: true, childList: true, subtree: true });"""
LOAD = """(path) => {
    const begun = performance.timeOrigin + performance.now();
    location.assign(path);
    return begun;
}"""


@dataclass(frozen=True)
class Run:
    """Milliseconds for each event, and requests per event."""

    times: list[float]
    requests: float

    def __str__(self) -> str:
        ordered = sorted(self.times)
        p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
        return (
            f"{statistics.median(ordered):4.0f} ms (median), {p95:4.0f} ms (p95), "
            f"{self.requests:.1f} requests an event"
        )


def judge(page: Any, address: str, batch: int, first: int, events: int) -> Run:
    """Judge so many events by keys."""
    page.goto(f"{address}/judge/{batch}/{first}")
    for ahead in (1, 2, 3):
        page.wait_for_selector(f"html[data-pages~='{first + ahead}']", state="attached")
    page.evaluate(WATCH_KEYS)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for place in range(first, first + events):
        for key in "11133s":
            page.keyboard.press(key)
        page.wait_for_selector(f"#judge[data-url$='/{place + 1}']")
        page.wait_for_timeout(PAUSE)
    page.get_by_text(f"event {first + events - 1} saved").first.wait_for()
    return Run(page.evaluate("times"), len(requests) / events)


def load(page: Any, address: str, batch: int, first: int, events: int) -> Run:
    """Load so many pages of events, one after the other."""
    page.goto(f"{address}/judge/{batch}/{first}")
    page.wait_for_selector("html[data-ready]")
    times, requests = [], []
    for place in range(first + 1, first + events + 1):
        page.wait_for_timeout(PAUSE)  # the pages that are fetched ahead are not counted
        asked: list[str] = []

        def note(request: Any, asked: list[str] = asked) -> None:
            asked.append(request.url)

        page.on("request", note)
        begun = page.evaluate(LOAD, f"/judge/{batch}/{place}")
        page.wait_for_url(f"**/judge/{batch}/{place}")
        page.wait_for_selector("html[data-ready]")
        page.wait_for_timeout(50)
        page.remove_listener("request", note)
        times.append(page.evaluate("readyAt") - begun)
        requests.append(sum("/judge/" not in url or url.endswith(f"/{place}") for url in asked))
    return Run(times, statistics.mean(requests))


def measure(browser: Any, address: str, evaluator: Evaluator, events: int) -> bool:
    """Print both ways with each latency; whether no judgement took too many requests."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    cookie = {"name": PublicAddress(address).cookie, "value": evaluator.token, "url": address}
    context.add_cookies([cookie])
    context.add_init_script(WATCH_LOADS)
    few, first = True, 1
    for latency, bar in BARS.items():
        runs = []
        for way in (judge, load):
            page = context.new_page()
            network = context.new_cdp_session(page)
            network.send("Network.enable")
            limits = {"latency": latency, "downloadThroughput": -1, "uploadThroughput": -1}
            network.send("Network.emulateNetworkConditions", {"offline": False, **limits})
            runs.append(way(page, address, evaluator.batch, first, events))
            page.close()
        keys, loads = runs
        ratio = statistics.median(loads.times) / statistics.median(keys.times)
        print(
            f"{latency} ms of latency added, {events} events (bar: {bar} ms)\n"
            f"  key s to the next event  {keys}\n"
            f"  loading its page         {loads}\n"
            f"  ratio {ratio:.1f}; before, the save was waited for as well",
            flush=True,
        )
        few = few and keys.requests <= MOST_REQUESTS
        first += events
    context.close()
    return few


def main(arguments: list[str] | None = None) -> int:
    """Measure; 1 if an answer is missing or a judgement took too many requests."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging", description=__doc__)
    parser.add_argument("--events", type=int, default=40, help="events for each way (default 40)")
    events = parser.parse_args(arguments).events
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        parser.error("playwright is not installed: pip install playwright")
    print(f"{machine().partition(' Ratio')[0]}\n", flush=True)
    with TemporaryDirectory(prefix="chronoscore-bench-") as name:
        database = Path(name) / "judging.db"
        _, (evaluator,) = prepare(database, 1, 10 * (events // 2))
        with serving(database) as server, sync_playwright() as engine:
            browser = engine.chromium.launch(
                executable_path=str(next(filter(Path.exists, BROWSERS), BROWSERS[-1])),
                args=["--no-sandbox", "--disable-dev-shm-usage"],
            )
            few = measure(browser, f"http://{server.host}:{server.port}", evaluator, events)
            browser.close()
        store = Store(database)
        (row,) = store.rows("SELECT count(*) AS saves FROM judgements")
        store.close()
    missing = len(BARS) * events - row["saves"]
    print(f"{row['saves']} answers saved, {missing} missing")
    return 1 if missing or not few else 0


if __name__ == "__main__":
    sys.exit(main())
