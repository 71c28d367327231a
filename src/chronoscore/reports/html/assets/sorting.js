/* Sort tables of the class "sortable" by the buttons in their heads, and keep the order in the
   address: #board-1?order=board-1.2d is the table of the section board-1 by its third column,
   descending. A cell is sorted by its data-value; a cell without one is undefined, and last. */

(() => {
  const collator = new Intl.Collator("en", { numeric: true }); // the same order for every reader
  const sorters = [...document.querySelectorAll("section[id] table.sortable")].map((table) => ({
    table,
    name: table.closest("section[id]").id,
    heads: [...table.tHead.rows[0].cells],
    rows: [...table.tBodies[0].rows], // as written, so that equal rows keep that order
    written: [...table.tHead.rows[0].cells].map((head) => head.getAttribute("aria-sort")),
    column: -1,
    descending: false,
  }));

  function comparison(sorter) {
    const value = (row) => row.cells[sorter.column].dataset.value;
    const known = sorter.rows.map(value).filter((text) => text !== undefined);
    const numbers = known.every((text) => text.trim() !== "" && !Number.isNaN(Number(text)));
    const compare = numbers ? (one, two) => one - two : collator.compare;
    const sign = sorter.descending ? -1 : 1;
    return (a, b) => {
      const [one, two] = [value(a), value(b)];
      if (one === undefined || two === undefined) return (one === undefined) - (two === undefined);
      return sign * compare(one, two);
    };
  }

  function show(sorter, column, descending) {
    Object.assign(sorter, { column, descending });
    const order = descending ? "descending" : "ascending";
    sorter.heads.forEach((head, at) => {
      const state = column < 0 ? sorter.written[at] : at === column ? order : "none";
      if (sorter.written[at]) head.setAttribute("aria-sort", state);
    });
    const rows = column < 0 ? sorter.rows : [...sorter.rows].sort(comparison(sorter));
    sorter.table.tBodies[0].append(...rows);
  }

  function press(sorter, column) {
    const head = sorter.heads[column];
    const state = head.getAttribute("aria-sort");
    const first = head.dataset.first === "descending";
    show(sorter, column, state === "none" ? first : state === "ascending");
    if (!address()[1].length) history.replaceState(null, "", `#${encodeURIComponent(sorter.name)}`);
    keep();
  }

  /* The place that the address names, and what it says besides orders of tables. */
  function address() {
    const [place, query = ""] = location.hash.slice(1).split("?");
    return [place, query.split("&").filter((part) => part && !part.startsWith("order="))];
  }

  /* Write the orders of tables behind what the address says. */
  function keep() {
    const [place, others] = address();
    const orders = sorters.filter((one) => one.column >= 0)
      .map((one) => `order=${encodeURIComponent(one.name)}.${one.column}${one.descending ? "d" : "a"}`);
    if (orders.length) history.replaceState(null, "", `#${place}?${[...others, ...orders].join("&")}`);
  }

  function restore() {
    const orders = [...location.hash.matchAll(/[?&]order=([^&]*)\.(\d+)([ad])(?=&|$)/g)];
    if (!orders.length) return keep(); // a link to another place of the page
    for (const sorter of sorters) {
      const found = orders.find(([, name]) => name === encodeURIComponent(sorter.name));
      const column = found ? Number(found[2]) : -1;
      const known = column >= 0 && sorter.heads[column]?.querySelector("button");
      if (known) show(sorter, column, found[3] === "d");
      else if (sorter.column >= 0) show(sorter, -1, false);
    }
    const [place, others] = address();
    if (orders.length && !others.length) document.getElementById(place)?.scrollIntoView();
  }

  for (const sorter of sorters)
    sorter.heads.forEach((head, column) =>
      head.querySelector("button")?.addEventListener("click", () => press(sorter, column)));
  addEventListener("hashchange", restore);
  restore();
})();
