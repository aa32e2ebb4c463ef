/** Ticks once a second while the page is seen. */
export class Clock extends EventTarget {
  #timer = 0;

  constructor() {
    super();
    document.addEventListener("visibilitychange", () => this.#adapt());
    this.#adapt();
  }

  #adapt() {
    clearInterval(this.#timer);
    if (document.hidden) return;
    const tick = () => this.dispatchEvent(new Event("tick"));
    this.#timer = setInterval(tick, 1_000);
    tick();
  }
}
