/* Start what the page has: its boards of cases, and the buttons that copy a signature. */

const pageData = JSON.parse(document.getElementById("data").textContent);
const boards = [];

function startBoard(element) {
  const known = boards.find((board) => board.element === element);
  if (known) return known;
  boards.push(new CaseBoard(element, pageData[element.dataset.board]));
  return boards[boards.length - 1];
}

/* One board starts at once; several each when they come near, are in the address, or are printed. */
const boardElements = [...document.querySelectorAll("[data-board]")];
const elementOf = (id) => boardElements.find((element) => element.dataset.board === id);
if (boardElements.length === 1) startBoard(boardElements[0]);
else if (elementOf(addressed().id)) startBoard(elementOf(addressed().id));
const nearing = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    nearing.unobserve(target);
    startBoard(target);
  }
}, { rootMargin: "800px" });
for (const element of boardElements) nearing.observe(element);
addEventListener("beforeprint", () => boardElements.forEach(startBoard));

function copySignature(button) {
  const block = button.closest("figure").querySelector("pre");
  getSelection().selectAllChildren(block);
  copyText(block.textContent, button, () => { button.textContent = "Selected"; });
}

for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", () => copySignature(button));

function follow() {
  const { id, words } = addressed();
  if (elementOf(id) && [...words.keys()].some((name) => name !== "order")) startBoard(elementOf(id)).read(words);
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
