/**
 * The keys of the output where it has the focus: they scroll, and with Shift they select lines.
 *
 * @param {import("./output-list.js").OutputList} list
 */
export function listenToOutputKeys(list) {
  list.viewport.addEventListener("keydown", (event) => {
    // A button in the output takes keys that press it.
    const isPress = event.target !== list.viewport && [" ", "Enter"].includes(event.key);
    if (event.altKey || isPress) return;
    if (select(list, event) || scroll(list, event)) event.preventDefault();
  });
}

/** @returns {boolean} whether the key does something */
function select(list, { key, ctrlKey, metaKey, shiftKey }) {
  const { selection, rows } = list;
  const { length } = list.record.lines;
  if (length === 0) return false;
  const isCommand = ctrlKey || metaKey;
  const distance = distanceOf(key, list);
  if (isCommand && key === "a") selection.select(0, length - 1);
  else if (isCommand) return false;
  else if (key === "Escape" && selection.count > 0) selection.clear();
  else if (shiftKey && key !== " " && distance !== 0) {
    const from = list.finder.line < 0 ? rows.lines.first : list.finder.line;
    const end = selection.extend(distance, from, length);
    rows.follow(false);
    rows.reveal(end);
  } else return false;
  list.tellSelection();
  return true;
}

function scroll(list, { key, ctrlKey, metaKey }) {
  const distance = distanceOf(key, list);
  if (ctrlKey || metaKey || distance === 0) return false;
  if (key === "Home") list.rows.scrollToStart();
  else if (key === "End") list.follow();
  else list.rows.scrollBy(distance);
  return true;
}

/** How many lines a key goes down; 0 for one that does not. */
function distanceOf(key, list) {
  const page = list.rows.pageLength;
  const all = list.record.lines.length;
  const distances = {
    ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, " ": page, Home: -all, End: all,
  };
  return distances[key] ?? 0;
}
