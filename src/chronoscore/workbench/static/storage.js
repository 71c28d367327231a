// The browser's own storage; where it is blocked or full, memory serves until the page is left.

/** @type {Map<string, string>} */
const memory = new Map();

/** @param {string} name @returns {string | null} */
export function kept(name) {
  try {
    return memory.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} text @returns {boolean} whether it outlives the page */
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    memory.delete(name);
    return true;
  } catch {
    memory.set(name, text);
    return false;
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

/** The names that begin like this, in alphabetical order. @param {string} start */
export function names(start) {
  let all = [...memory.keys()];
  try {
    all = all.concat(Object.keys(localStorage));
  } catch {
    // what is blocked holds nothing
  }
  return [...new Set(all)].filter((name) => name.startsWith(start)).sort();
}
