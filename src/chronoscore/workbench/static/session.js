// Who is logged in, and the token that every form and save carries.

/** @param {string} name @param {Document} [of] */
export const meta = (name, of = document) => /** @type {HTMLMetaElement | null} */ (of.querySelector(`meta[name=${name}]`))?.content ?? "";

export const viewer = meta("viewer");

/** Put the token of this page into forms that come from an earlier one. @param {ParentNode} forms */
export function refreshForms(forms) {
  for (const one of forms.querySelectorAll("input[name=csrf]")) /** @type {HTMLInputElement} */ (one).value = meta("csrf");
}

/**
 * Take over the token of a newer page. Nothing of this person may be saved in another's session, so
 * the page must be the same person's.
 * @param {Document} newer
 */
export function takeToken(newer) {
  const token = meta("csrf", newer);
  if (meta("viewer", newer) !== viewer || !token || token === meta("csrf")) return;
  /** @type {HTMLMetaElement} */ (document.querySelector("meta[name=csrf]")).content = token;
  refreshForms(document);
}
