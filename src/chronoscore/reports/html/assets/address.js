/* What the address of the page says: #ID?name=value&..., where ID is the part of the page that it
   speaks of. A link with such an address shows a colleague the same. */

function addressed() {
  const [id, ...query] = location.hash.slice(1).split("?");
  return { id: decodeURIComponent(id), words: new URLSearchParams(query.join("?")) };
}

function setAddress(id, words) {
  const query = words.toString();
  history.replaceState(history.state, "", `#${encodeURIComponent(id)}${query ? `?${query}` : ""}`);
}
