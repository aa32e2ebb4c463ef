import { EventText } from "./event-text.js";

/**
 * After how many milliseconds without a sign of life a connection counts as lost: the panel gives one every
 * three seconds.
 */
const SILENCE = 9_000;
const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 8_000;

/**
 * The panel's stream of events. It connects again when it ends, and goes on where it was.
 *
 * `fetch` and not `EventSource`, which cannot send the token.
 */
export class EventStream {
  #token;
  #handler;
  #place = "";
  #pause = FIRST_PAUSE;
  #controller = new AbortController();
  #isSilent = false;
  #wake = () => {};
  #isClosed = false;

  /**
   * @param {string} token
   * @param {{pages: () => string[], message: (message: import("./event-text.js").Message) => void,
   *   ready: () => Promise<void>, lost: (reason: string) => void}} handler `pages` are those to name;
   *   `ready` is waited for before more is read; `lost` has the reason "token" for one that is refused
   */
  constructor(token, handler) {
    this.#token = token;
    this.#handler = handler;
    this.#run();
  }

  /** Tries again at once. */
  hurry() {
    this.#pause = FIRST_PAUSE;
    this.#wake();
  }

  close() {
    this.#isClosed = true;
    this.#controller.abort();
    this.#wake();
  }

  async #run() {
    while (!this.#isClosed) {
      let reason = "ended";
      try {
        reason = await this.#readOnce();
      } catch {
        // The network's failure says nothing that a reader could use.
        if (this.#isSilent) reason = "silent";
      }
      if (this.#isClosed) return;
      this.#handler.lost(reason);
      const pause = this.#pause * (0.75 + Math.random() / 2);
      this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
      await new Promise((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, pause);
      });
    }
  }

  async #readOnce() {
    this.#controller = new AbortController();
    const headers = { Authorization: `Bearer ${this.#token}`, Accept: "text/event-stream" };
    if (this.#place !== "") headers["Last-Event-ID"] = this.#place;
    const query = this.#handler.pages().map((page) => `page=${encodeURIComponent(page)}`).join("&");
    this.#isSilent = false;
    let watch = this.#watch();
    try {
      const answer = await fetch(`api/v1/events?${query}`, {
        headers, cache: "no-store", signal: this.#controller.signal,
      });
      if (answer.status === 401) return "token";
      if (!answer.ok || answer.body === null) return "refused";
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      const text = new EventText();
      while (true) {
        const { done, value } = await reader.read();
        if (done) return "ended";
        clearTimeout(watch);
        this.#pause = FIRST_PAUSE;
        for (const message of text.take(value)) {
          if (message.place !== "") this.#place = message.place;
          this.#handler.message(message);
        }
        await this.#handler.ready();
        watch = this.#watch();
      }
    } finally {
      clearTimeout(watch);
    }
  }

  #watch() {
    const controller = this.#controller;
    return setTimeout(() => {
      this.#isSilent = true;
      controller.abort();
    }, SILENCE);
  }
}
