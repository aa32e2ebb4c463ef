/**
 * What the browser has selected of rows, one line each: it would copy a break where a line is wrapped, or
 * none between rows.
 *
 * @param {HTMLElement} viewport
 * @returns {string} "" for nothing
 */
export function selectedText(viewport) {
  const chosen = getSelection();
  if (chosen.isCollapsed) return "";
  const range = chosen.getRangeAt(0);
  const rows = [...viewport.querySelectorAll(".row:not([hidden])")];
  return rows.filter((row) => range.intersectsNode(row)).map((row) => {
    const part = document.createRange();
    part.selectNodeContents(row);
    if (row.contains(range.startContainer)) part.setStart(range.startContainer, range.startOffset);
    if (row.contains(range.endContainer)) part.setEnd(range.endContainer, range.endOffset);
    return part.toString();
  }).join("\n");
}
