import { element } from "./dom.js";
import { ScrollScale } from "./scroll-scale.js";

/** Rows that are kept above and below those that are seen, for scrolling between two frames. */
const MARGIN = 8;

/**
 * A list of any number of rows with one height, of which only those in view have nodes. It follows its
 * end until the reader scrolls away from it.
 *
 * The event `follow` (detail: whether it follows now) comes from it.
 */
export class VirtualList extends EventTarget {
  #viewport;
  #spacer;
  #draw;
  #rowHeight;
  #scale;
  #count = 0;
  /** The nodes, in the order of the document, which is that of their rows: text is selected by it. */
  #pool = [];
  /** What each node shows: the number of its row, or -1. */
  #shown = [];
  /** The row of the first node. */
  #first = 0;
  #isFollowing = true;
  #frame = 0;
  /** The scroll position that was set last. One that differs is the reader's. */
  #set = 0;
  /** How far below the first row's top the reader looks: more rows may change the scale. */
  #offset = 0;
  /** Rows that must be drawn anew begin here. */
  #stale = Infinity;

  /**
   * @param {HTMLElement} viewport the element that scrolls
   * @param {number} rowHeight in pixels
   * @param {(node: HTMLElement, row: number) => void} draw fills a node with a row
   */
  constructor(viewport, rowHeight, draw) {
    super();
    this.#viewport = viewport;
    this.#rowHeight = rowHeight;
    this.#draw = draw;
    this.#scale = new ScrollScale(rowHeight);
    this.#spacer = element("div", { class: "rows" });
    viewport.append(this.#spacer);
    viewport.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    new ResizeObserver(() => this.#schedule()).observe(viewport);
  }

  get isFollowing() {
    return this.#isFollowing;
  }

  /** The rows in view. */
  get rows() {
    return this.#scale.rows(this.#viewport.scrollTop);
  }

  /**
   * Tells it how many rows there are now.
   *
   * @param {number} stale the first row whose text may be another now
   */
  update(count, stale = Infinity) {
    this.#count = count;
    this.#stale = Math.min(this.#stale, stale);
    this.#schedule();
  }

  /** Draws all rows anew. */
  redraw() {
    this.update(this.#count, 0);
  }

  /** Follows the end from now on, or no longer. */
  follow(isFollowing) {
    if (isFollowing) this.#schedule();
    if (this.#isFollowing === isFollowing) return;
    this.#isFollowing = isFollowing;
    this.dispatchEvent(new CustomEvent("follow", { detail: isFollowing }));
  }

  /** Brings a row into view, in the middle if it is not seen yet. */
  reveal(row) {
    const { first, end } = this.rows;
    if (row > first && row < end - 1) return;
    this.#measure();
    const middle = row * this.#rowHeight - (this.#viewport.clientHeight - this.#rowHeight) / 2;
    this.#moveTo(this.#scale.position(middle));
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
      this.follow(position >= this.#scale.end - 1);
    }
    this.#schedule();
  }

  #schedule() {
    this.#frame ||= requestAnimationFrame(() => this.#render());
  }

  #measure() {
    this.#scale.update(this.#count, this.#viewport.clientHeight);
  }

  #render() {
    this.#frame = 0;
    if (this.#viewport.clientHeight === 0) return;
    this.#measure();
    const height = `${this.#scale.height}px`;
    if (this.#spacer.style.height !== height) this.#spacer.style.height = height;
    const position = this.#isFollowing ? this.#scale.end : this.#scale.position(this.#offset);
    if (Math.abs(this.#viewport.scrollTop - position) >= 1) this.#viewport.scrollTop = position;
    // Browsers round it.
    this.#set = this.#viewport.scrollTop;
    if (this.#isFollowing) this.#offset = this.#scale.offset(this.#set);
    this.#place(this.#viewport.scrollTop);
  }

  #place(position) {
    const rows = this.#scale.rows(position);
    const first = Math.max(0, rows.first - MARGIN);
    const end = Math.min(this.#count, rows.end + MARGIN);
    this.#provide(end - first);
    this.#rotate(first);
    for (const [slot, node] of this.#pool.entries()) {
      const row = first + slot;
      if (row >= end) {
        if (!node.hidden) node.hidden = true;
        this.#shown[slot] = -1;
        continue;
      }
      if (this.#shown[slot] !== row || row >= this.#stale) {
        this.#draw(node, row);
        this.#shown[slot] = row;
      }
      const place = `translateY(${this.#scale.top(row, position)}px)`;
      if (node.style.transform !== place) node.style.transform = place;
      if (node.hidden) node.hidden = false;
    }
    this.#stale = Infinity;
  }

  /** Moves the nodes whose rows are out of view to the other end. */
  #rotate(first) {
    const distance = first - this.#first;
    this.#first = first;
    if (distance === 0 || Math.abs(distance) >= this.#pool.length) return;
    if (distance > 0) {
      const moved = this.#pool.splice(0, distance);
      this.#pool.push(...moved);
      this.#shown.push(...this.#shown.splice(0, distance));
      this.#spacer.append(...moved);
    } else {
      const moved = this.#pool.splice(distance);
      this.#pool.unshift(...moved);
      this.#shown.unshift(...this.#shown.splice(distance));
      this.#spacer.prepend(...moved);
    }
  }

  /** Makes nodes until there are as many as rows in view; there never are fewer again. */
  #provide(length) {
    if (length <= this.#pool.length) return;
    while (this.#pool.length < length) {
      const node = element("div", { class: "row" });
      this.#pool.push(node);
      this.#shown.push(-1);
      this.#spacer.append(node);
    }
  }
}
