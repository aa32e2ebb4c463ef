/** How many rows for each pixel outside a drag scrolls with a frame. */
const SPEED = 1 / 24;

/**
 * Lines that are selected: from the one where a reader began to the one where he ended, wherever the
 * list has scrolled meanwhile. Parts of one line are the browser's to select.
 *
 * The event `change` comes from it.
 */
export class LineSelection extends EventTarget {
  #viewport;
  #list;
  /** Where it begins, or would: the line that was pressed last. */
  #anchor = -1;
  /** Where it ends; -1 for none. */
  #end = -1;
  #isDragging = false;
  #pointer = null;
  #frame = 0;

  /**
   * @param {HTMLElement} viewport
   * @param {import("./virtual-list.js").VirtualList} list
   */
  constructor(viewport, list) {
    super();
    this.#viewport = viewport;
    this.#list = list;
    viewport.addEventListener("mousedown", (event) => this.#press(event));
    addEventListener("mousemove", (event) => this.#drag(event));
    addEventListener("mouseup", () => this.#release());
  }

  /** The first line and the last; null for none. */
  get range() {
    if (this.#end < 0) return null;
    return [Math.min(this.#anchor, this.#end), Math.max(this.#anchor, this.#end)];
  }

  has(line) {
    return this.#end >= 0 && (line - this.#anchor) * (line - this.#end) <= 0;
  }

  /** How many lines are selected. */
  get count() {
    return this.#end < 0 ? 0 : Math.abs(this.#end - this.#anchor) + 1;
  }

  /** Selects from one line to another. */
  select(anchor, end) {
    if (anchor === this.#anchor && end === this.#end) return;
    [this.#anchor, this.#end] = [anchor, end];
    getSelection().removeAllRanges();
    this.#tell();
  }

  /**
   * Moves its end.
   *
   * @param {number} distance in lines
   * @param {number} from the line at which it begins if there is none
   * @param {number} count how many lines there are
   * @returns {number} the line where it ends now
   */
  extend(distance, from, count) {
    if (this.#end < 0) this.select(this.#anchor < 0 ? from : this.#anchor, from);
    this.select(this.#anchor, Math.max(0, Math.min(count - 1, this.#end + distance)));
    return this.#end;
  }

  clear() {
    this.#anchor = -1;
    if (this.#end < 0) return;
    this.#end = -1;
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new Event("change"));
  }

  #press(event) {
    const { button, clientX, clientY, shiftKey, target } = event;
    const box = this.#viewport.getBoundingClientRect();
    const isInside = clientX < box.left + this.#viewport.clientWidth
      && clientY < box.top + this.#viewport.clientHeight;
    if (button !== 0 || !isInside || target.closest("a, button, .place")) return;
    const line = this.#list.lineAt(clientY);
    if (line < 0) return;
    const row = target.closest(".row");
    const margin = row ? parseFloat(getComputedStyle(row).paddingLeft) : 0;
    const isNumber = row !== null && clientX - box.left + this.#viewport.scrollLeft < margin - 6;
    this.#isDragging = true;
    if (shiftKey || isNumber) {
      event.preventDefault();
      this.#viewport.focus();
      this.select(shiftKey && this.#anchor >= 0 ? this.#anchor : line, line);
    } else {
      this.clear();
      this.#anchor = line;
    }
  }

  #drag({ buttons, clientX, clientY }) {
    if (!this.#isDragging) return;
    if ((buttons & 1) === 0) return this.#release();
    this.#pointer = { clientX, clientY };
    this.#reach();
    // What is being selected stays under the pointer.
    if (this.#end >= 0 || !getSelection().isCollapsed) this.#list.follow(false);
    this.#frame ||= requestAnimationFrame(() => this.#scroll());
  }

  /** Takes the lines to that of the pointer. */
  #reach() {
    const line = this.#list.lineAt(this.#pointer.clientY);
    if (this.#end < 0 && line === this.#anchor) return;
    // The browser goes on selecting as long as the button is held.
    getSelection().removeAllRanges();
    this.#viewport.classList.add("selecting");
    this.select(this.#anchor, line);
  }

  /** Scrolls while the pointer is outside. */
  #scroll() {
    this.#frame = 0;
    if (!this.#isDragging) return;
    const { top, bottom } = this.#viewport.getBoundingClientRect();
    const { clientY } = this.#pointer;
    const outside = clientY < top ? clientY - top : Math.max(0, clientY - bottom);
    if (outside === 0) return;
    this.#list.scrollBy(Math.sign(outside) * Math.ceil(Math.abs(outside) * SPEED));
    this.#reach();
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #release() {
    this.#isDragging = false;
    this.#viewport.classList.remove("selecting");
  }
}
