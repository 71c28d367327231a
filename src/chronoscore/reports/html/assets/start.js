/* Start what the page has: its boards of cases, and the buttons that copy a signature. */

const pageData = JSON.parse(document.getElementById("data").textContent);
const boards = [...document.querySelectorAll("[data-board]")].map((element) =>
  new CaseBoard(element, pageData[element.dataset.board]));

function copySignature(button) {
  const block = button.closest("figure").querySelector("pre");
  getSelection().selectAllChildren(block);
  copyText(block.textContent, button, () => { button.textContent = "Selected"; });
}

for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", () => copySignature(button));

function follow() {
  const { id, words } = addressed();
  if ([...words.keys()].some((name) => name !== "order")) boards.find((board) => board.id === id)?.read(words);
}

addEventListener("hashchange", follow);
addEventListener("click", (event) => { // a link that is the address already
  if (event.target.closest?.("a")?.getAttribute("href") === location.hash) follow();
});

/* Draw what is open in its new width; the focus stays where it was. */
function drawAgain() {
  const reachable = (inside) => [...inside.querySelectorAll("[tabindex], a, button, select, summary")];
  for (const board of boards) {
    for (const one of board.opened.values()) {
      const at = reachable(one.inside).indexOf(document.activeElement);
      board.drawCase(one);
      if (at >= 0) reachable(one.inside)[at]?.focus({ preventScroll: true });
    }
  }
}

let resized = 0;
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's address bar comes and goes
  width = innerWidth;
  clearTimeout(resized);
  resized = setTimeout(drawAgain, 150);
});
