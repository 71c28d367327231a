/* A search box that hides the rows of a table which do not have all of its words. */

(() => {
  for (const box of document.querySelectorAll("input[type=search][data-table]")) {
    const table = document.querySelector(`table.${box.dataset.table}`);
    const line = box.closest("p");
    const rows = [...table.tBodies[0].rows];
    const folded = (text) => text.normalize("NFKC").toLowerCase();
    const texts = rows.map((row) => folded(row.textContent));
    const find = () => {
      const words = folded(box.value).split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, at) => {
        row.hidden = !words.every((word) => texts[at].includes(word));
        shown += !row.hidden;
      });
      line.querySelector("[role=status]").textContent = words.length ? `${shown} of ${rows.length}` : "";
    };
    line.hidden = false;
    box.addEventListener("input", find);
    if (box.value) find(); // the browser kept it over a reload
  }
})();
