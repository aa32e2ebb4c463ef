import { RequestError } from "./api.js";
import { copyText } from "./clipboard.js";
import { element, setAttribute, setText } from "./dom.js";
import { exportOutput } from "./output-export.js";

/** For how many milliseconds a button says what it has done. */
const NOTICE = 1_600;

/** What takes the output elsewhere: to the clipboard, to a file, to a tab of its own. */
export class OutputTools {
  #app;
  #list;
  /** The address of the last download. */
  #saved = "";
  /** The tabs that show raw output, with their addresses. */
  #opened = [];

  /**
   * @param {import("./app.js").App} app
   * @param {import("./output-list.js").OutputList} list
   */
  constructor(app, list) {
    this.#app = app;
    this.#list = list;
    const listen = (id, action) => {
      const button = document.getElementById(id);
      button.addEventListener("click", () => this.#do(button, action));
    };
    listen("copy", () => this.copy());
    listen("download", (button) => this.#download(button));
    listen("raw", (button) => this.#openRaw(button));
    list.viewport.addEventListener("keydown", (event) => {
      if (event.key !== "c" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      // Browsers tell of no copy where they have selected nothing.
      if (list.selection.count === 0) return;
      event.preventDefault();
      this.#do(document.getElementById("copy"), () => this.copy());
    });
    list.viewport.addEventListener("click", ({ target }) => {
      const place = target.closest(".place");
      if (place) this.#do(null, () => this.#copyPlace(place.textContent));
    });
  }

  /** Copies the selected lines, or all. */
  async copy() {
    const { text, count } = this.#list.content();
    await copyText(text);
    this.#app.announce(count === 1 ? "1 line copied" : `${count} lines copied`);
    return "Copied";
  }

  async #copyPlace(text) {
    await copyText(text);
    this.#app.notify(`${text} copied`);
  }

  /** @returns {Promise<string>} what the button says when it is done */
  async #do(button, action) {
    if (button?.ariaDisabled === "true") return;
    // A second press comes while it says what the first one has done.
    const name = button && (button.dataset.name ??= button.textContent);
    setAttribute(button ?? document.body, "aria-disabled", button !== null && "true");
    try {
      const done = await action(button);
      if (button) setText(button, done);
    } catch (error) {
      if (button) setText(button, name);
      this.#app.notify(error.message);
      if (!(error instanceof RequestError) && !(error instanceof DOMException)) throw error;
    } finally {
      if (button) {
        setAttribute(button, "aria-disabled", false);
        setTimeout(() => setText(button, name), NOTICE);
      }
    }
  }

  async #download(button) {
    const name = `${this.#name.replaceAll(/[^\w.-]+/g, "-")}.txt`;
    URL.revokeObjectURL(this.#saved);
    const href = this.#saved = await this.#export(button);
    element("a", { href, download: name }).click();
    return "Downloaded";
  }

  async #openRaw(button) {
    // At once: browsers open no tab long after the press.
    const tab = open("", "_blank");
    if (tab === null) throw new DOMException("the browser lets the page open no tab");
    tab.opener = null;
    try {
      const address = await this.#export(button);
      tab.location.replace(address);
      this.#forgetClosed();
      this.#opened.push({ tab, address });
    } catch (error) {
      tab.close();
      throw error;
    }
    return "Opened";
  }

  /** An address holds as long as its tab, which may be reloaded. */
  #forgetClosed() {
    for (const { tab, address } of this.#opened) if (tab.closed) URL.revokeObjectURL(address);
    this.#opened = this.#opened.filter(({ tab }) => !tab.closed);
  }

  get #name() {
    const { model, selection } = this.#app;
    return `${model.executions.get(selection.id)?.command ?? "output"}-${selection.id}`;
  }

  /** The whole output under an address of this page alone: it has no token. */
  async #export(button) {
    const progress = (share) => setText(button, `${Math.floor(share * 100)} %`);
    return URL.createObjectURL(await exportOutput(this.#app.api, this.#app.selection.id, progress));
  }
}
