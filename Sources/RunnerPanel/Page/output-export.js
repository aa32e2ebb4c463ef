/** From how many bytes on a part is given to the browser, which may keep it on disk. */
const PART = 4 << 20;

/**
 * Reads the whole output of an execution as it was sent, page by page.
 *
 * @param {import("./api.js").API} api
 * @param {number} execution
 * @param {(share: number) => void} progress takes the part that has arrived, from 0 to 1
 * @returns {Promise<Blob>} plain text
 */
export async function exportOutput(api, execution, progress) {
  let [parts, size, from] = [[], 0, 0];
  while (true) {
    const page = await api.values(execution, from);
    if (page.from > from) parts.push(`[${page.from - from} outputs are no longer kept]\n`);
    for (const event of page.events) {
      // Raclette's own word.
      if (event.type === "step") continue;
      const piece = contentOf(event);
      parts.push(piece, event.chunk ? "" : "\n");
      size += piece.length;
    }
    if (size > PART) [parts, size] = [[new Blob(parts)], 0];
    from = page.next;
    if (page.events.length === 0 || from >= page.outputs) break;
    progress(from / page.outputs);
  }
  return new Blob(parts, { type: "text/plain;charset=utf-8" });
}

/** What an output consists of: a text, or bytes that are none. */
function contentOf({ value, value_base64: bytes }) {
  if (bytes === undefined) return String(value);
  return Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0));
}
