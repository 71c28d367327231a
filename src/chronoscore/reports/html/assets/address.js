/* What the address of the page says: #ID?name=value&..., where ID is the part of the page that it
   speaks of. A link with such an address shows a colleague the same. */

function addressed() {
  const [id, ...query] = location.hash.slice(1).split("?");
  return { id: decodeURIComponent(id), words: new URLSearchParams(query.join("?")) };
}

/* Say something else of a part; the orders of tables (sorting.js) stay. */
function setAddress(id, words) {
  for (const order of addressed().words.getAll("order")) words.append("order", order);
  const query = words.toString();
  history.replaceState(history.state, "", `#${encodeURIComponent(id)}${query ? `?${query}` : ""}`);
}
