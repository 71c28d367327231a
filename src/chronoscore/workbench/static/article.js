// The article beside an event.

const MARGIN = 24;

/** Scroll the article to the evidence, else to its first expression of time, if that is out of sight. */
export function showEvidence() {
  const article = document.querySelector(".article");
  const mark = article?.querySelector("mark.evidence") ?? article?.querySelector("mark.time");
  if (!article || !mark) return;
  const { top, height } = article.getBoundingClientRect();
  const place = mark.getBoundingClientRect();
  if (place.bottom <= top + article.clientHeight - MARGIN) return;
  const above = Math.max((article.clientHeight - Math.min(place.height, height)) / 2, MARGIN);
  article.scrollTop += place.top - top - above;
}
