import { element } from "./dom.js";
import { ScrollScale } from "./scroll-scale.js";

/** Rows that are kept above and below those that are seen, for scrolling between two frames. */
const MARGIN = 8;

/**
 * A list of any number of lines, of which only those in view have nodes. A line takes one row or more,
 * all of one height. It follows its end until the reader scrolls away from it.
 *
 * The events `follow` (detail: whether it follows now) and `place` (other lines are in view) come from
 * it.
 */
export class VirtualList extends EventTarget {
  #viewport;
  #spacer;
  /** Has the nodes, one below the other: browsers copy a line break between those that flow only. */
  #window;
  #draw;
  #rowHeight;
  #layout;
  #scale;
  /** The nodes, in the order of the document, which is that of their lines: text is selected by it. */
  #pool = [];
  /** What each node shows: the index of its line, or -1. */
  #shown = [];
  #isFollowing = true;
  #frame = 0;
  /** The scroll position that was set last. One that differs is the reader's. */
  #set = 0;
  /** How far below the first row's top the reader looks: more rows may change the scale. */
  #offset = 0;
  /** Lines that must be drawn again begin here. */
  #stale = Infinity;

  /**
   * @param {HTMLElement} viewport the element that scrolls
   * @param {number} rowHeight in pixels
   * @param {import("./line-layout.js").LineLayout} layout which rows a line takes
   * @param {(node: HTMLElement, line: number) => void} draw fills a node with a line
   */
  constructor(viewport, rowHeight, layout, draw) {
    super();
    this.#layout = layout;
    this.#viewport = viewport;
    this.#rowHeight = rowHeight;
    this.#draw = draw;
    this.#scale = new ScrollScale(rowHeight);
    this.#window = element("div", { class: "window" });
    this.#spacer = element("div", { class: "rows" }, this.#window);
    viewport.append(this.#spacer);
    viewport.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#schedule()).observe(viewport);
  }

  get isFollowing() {
    return this.#isFollowing;
  }

  /** The lines in view; `end` is the one behind the last. */
  get lines() {
    const { first, end } = this.#scale.rows(this.#viewport.scrollTop);
    if (end <= first) return { first: 0, end: 0 };
    return { first: this.#layout.lineAt(first), end: this.#layout.lineAt(end - 1) + 1 };
  }

  /** The line at a height of the window, or the nearest; -1 if there is none. */
  lineAt(clientY) {
    if (this.#layout.rows === 0) return -1;
    const top = clientY - this.#viewport.getBoundingClientRect().top;
    const offset = this.#scale.offset(this.#viewport.scrollTop) + top;
    const last = this.#layout.rows - 1;
    return this.#layout.lineAt(Math.max(0, Math.min(last, Math.floor(offset / this.#rowHeight))));
  }

  /**
   * Tells it that the layout has changed.
   *
   * @param {number} stale the first line that must be drawn again
   */
  update(stale = Infinity) {
    this.#stale = Math.min(this.#stale, stale);
    this.#schedule();
  }

  /** Draws all lines again. */
  redraw() {
    this.update(0);
  }

  /** Lets lines take other rows, and shows the same first line after that. */
  arrange(change) {
    this.#measure();
    const { first } = this.lines;
    change();
    this.#measure();
    this.#offset = this.#layout.rowOf(first) * this.#rowHeight;
    this.redraw();
  }

  /** Follows the end from now on, or no longer. */
  follow(isFollowing) {
    if (isFollowing) this.#schedule();
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.dispatchEvent(new CustomEvent("follow", { detail: isFollowing }));
  }

  /** Brings a line into view, in the middle if it is not seen yet. */
  reveal(line) {
    this.#measure();
    const row = this.#layout.rowOf(line);
    const { first, end } = this.#scale.rows(this.#viewport.scrollTop);
    if (row > first && row < end - 1) return;
    const middle = row * this.#rowHeight - (this.#viewport.clientHeight - this.#rowHeight) / 2;
    this.#moveTo(this.#scale.position(middle));
  }

  /** Makes a line the first in view, and follows no longer. */
  showAtTop(line) {
    this.#measure();
    this.follow(false);
    this.#offset = this.#layout.rowOf(line) * this.#rowHeight;
    this.#schedule();
  }

  /** Scrolls by a number of rows, on whatever scale. */
  scrollBy(rows) {
    this.#measure();
    const offset = this.#scale.offset(this.#viewport.scrollTop) + rows * this.#rowHeight;
    this.#moveTo(this.#scale.position(offset));
  }

  /** The number of rows that a page has. */
  get pageLength() {
    return Math.max(1, Math.floor(this.#viewport.clientHeight / this.#rowHeight) - 1);
  }

  /** Scrolls to the first row. */
  scrollToStart() {
    this.#moveTo(0);
  }

  #moveTo(position) {
    // More rows may have come, or been opened, than are laid out.
    this.#stretch();
    this.#viewport.scrollTop = position;
    this.#scrolled();
  }

  #scrolled() {
    // A list that is not shown says that it is at its top.
    if (this.#viewport.clientHeight === 0) return;
    const position = this.#viewport.scrollTop;
    if (Math.abs(position - this.#set) > 1) {
      this.#measure();
      this.#set = position;
      this.#offset = this.#scale.offset(position);
      // Of what is laid out: rows may have come since, and the view may have become higher.
      const { scrollHeight, clientHeight } = this.#viewport;
      this.follow(position >= scrollHeight - clientHeight - 1);
    }
    this.#schedule();
  }

  #schedule() {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #measure() {
    this.#scale.update(this.#layout.rows, this.#viewport.clientHeight);
  }

  /** Makes room for all rows that were measured. */
  #stretch() {
    const height = `${this.#scale.height}px`;
    if (this.#spacer.style.height !== height) this.#spacer.style.height = height;
  }

  #render() {
    this.#frame = 0;
    if (this.#viewport.clientHeight === 0) return;
    this.#measure();
    this.#stretch();
    const position = this.#isFollowing ? this.#scale.end : this.#scale.position(this.#offset);
    if (Math.abs(this.#viewport.scrollTop - position) >= 1) this.#viewport.scrollTop = position;
    // Browsers round it.
    this.#set = this.#viewport.scrollTop;
    if (this.#isFollowing) this.#offset = this.#scale.offset(this.#set);
    this.#place(this.#viewport.scrollTop);
  }

  #place(position) {
    const rows = this.#scale.rows(position);
    const first = this.#layout.lineAt(Math.max(0, rows.first - MARGIN));
    const lines = this.#linesFrom(first, Math.min(this.#layout.rows, rows.end + MARGIN));
    this.#provide(lines.length);
    this.#rotate(lines);
    for (const [slot, node] of this.#pool.entries()) {
      const line = lines[slot] ?? -1;
      if (line < 0) {
        if (!node.hidden) node.hidden = true;
        this.#shown[slot] = -1;
        continue;
      }
      if (this.#shown[slot] !== line || line >= this.#stale) {
        this.#draw(node, line);
        this.#shown[slot] = line;
      }
      if (node.hidden) node.hidden = false;
    }
    const top = this.#scale.top(this.#layout.rowOf(first), position);
    const place = `translateY(${top}px)`;
    if (this.#window.style.transform !== place) this.#window.style.transform = place;
    this.#stale = Infinity;
    this.dispatchEvent(new Event("place"));
  }

  /** The lines that take rows, from one of them to a row. */
  #linesFrom(first, end) {
    const lines = [];
    let line = first;
    for (let row = this.#layout.rowOf(first); row < end; row = this.#layout.rowOf(line + 1)) {
      line = this.#layout.lineAt(row);
      lines.push(line);
    }
    return lines;
  }

  /** Moves the nodes whose lines are out of view to the other end. */
  #rotate(lines) {
    const below = this.#shown.indexOf(lines[0]);
    const above = lines.indexOf(this.#shown[0]);
    if (below > 0) {
      const moved = this.#pool.splice(0, below);
      this.#pool.push(...moved);
      this.#shown.push(...this.#shown.splice(0, below));
      this.#window.append(...moved);
    } else if (above > 0 && above < this.#pool.length) {
      const moved = this.#pool.splice(-above);
      this.#pool.unshift(...moved);
      this.#shown.unshift(...this.#shown.splice(-above));
      this.#window.prepend(...moved);
    }
  }

  /** Makes nodes until there are as many as lines in view; there never are fewer again. */
  #provide(length) {
    if (length <= this.#pool.length) return;
    while (this.#pool.length < length) {
      const node = element("div", { class: "row" });
      this.#pool.push(node);
      this.#shown.push(-1);
      this.#window.append(node);
    }
  }
}
