/* What the address of the page says: #ID?name=value&..., where ID is the part of the page that it
   speaks of. A link with such an address shows a colleague the same. */

/* A part of an address as it was meant, or as it stands if it means nothing. */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function addressed() {
  const [id, ...query] = location.hash.slice(1).split("?");
  return { id: decoded(id), words: new URLSearchParams(query.join("?")) };
}

/* Say something else of a part; the orders of tables (sorting.js) stay. */
function setAddress(id, words) {
  for (const order of addressed().words.getAll("order")) words.append("order", order);
  const query = words.toString();
  history.replaceState(history.state, "", `#${encodeURIComponent(id)}${query ? `?${query}` : ""}`);
}
