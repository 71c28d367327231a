// Links that can be copied.

/** @param {string} id @param {string} text */
export function say(id, text) {
  const place = document.getElementById(id);
  if (place && place.textContent !== text) place.textContent = text;
}

/** Copy a field's text, by permission or by selecting it. @param {HTMLInputElement | HTMLTextAreaElement} field */
async function copy(field) {
  field.focus();
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    // without permission, or on a page without https, what is selected can still be copied
  }
  try {
    return document.execCommand("copy");
  } catch {
    return false;
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!(button instanceof HTMLButtonElement)) continue;
  const field = document.getElementById(button.dataset.copy ?? "");
  if (!(field instanceof HTMLInputElement) && !(field instanceof HTMLTextAreaElement)) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const done = await copy(field);
    const name = field.getAttribute("aria-label") ?? "It";
    say("copied", done ? `Copied: ${name}` : `${name} is selected: press Ctrl+C to copy it.`);
    if (!done) return;
    button.dataset.words ??= button.innerHTML;
    button.textContent = "Copied";
    button.focus();
    setTimeout(() => {
      button.innerHTML = button.dataset.words ?? "";
      say("copied", "");
    }, 3000);
  });
}
