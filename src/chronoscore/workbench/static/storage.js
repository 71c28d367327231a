// The browser's own storage; where it is blocked or full, memory serves until the page is left.

/** @type {Map<string, string>} */
const memory = new Map();

/** @param {string} name @returns {string | null} */
export function kept(name) {
  try {
    return localStorage.getItem(name) ?? memory.get(name) ?? null;
  } catch {
    return memory.get(name) ?? null;
  }
}

/** @param {string} name @param {string} text */
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    memory.delete(name);
  } catch {
    memory.set(name, text);
  }
}

/** @param {string} name */
export function drop(name) {
  memory.delete(name);
  try {
    localStorage.removeItem(name);
  } catch {
    // what is blocked holds nothing
  }
}
