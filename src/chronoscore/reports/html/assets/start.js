/* Start what the page has: its boards of cases, and the buttons that copy a signature. */

const pageData = JSON.parse(document.getElementById("data").textContent);
const boards = [...document.querySelectorAll("[data-board]")].map((element) =>
  new CaseBoard(element, pageData[element.dataset.board]));

function copySignature(button) {
  const block = button.closest("figure").querySelector("pre");
  getSelection().selectAllChildren(block);
  const done = () => { button.textContent = "Copied"; };
  const selected = () => { button.textContent = "Selected"; };
  if (navigator.clipboard) navigator.clipboard.writeText(block.textContent).then(done, selected);
  else selected();
}

for (const button of document.querySelectorAll(".copy"))
  button.addEventListener("click", () => copySignature(button));
addEventListener("hashchange", () => {
  const { id, words } = addressed();
  boards.find((board) => board.id === id && [...words].length)?.read(words);
});
const drawAgain = () => {
  for (const board of boards)
    for (const one of board.opened.values()) board.drawCase(one);
};
let resized = 0;
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // a phone's address bar comes and goes
  width = innerWidth;
  clearTimeout(resized);
  resized = setTimeout(drawAgain, 150);
});
