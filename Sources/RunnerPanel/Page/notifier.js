import { elapsed, endText, executionState } from "./state-text.js";
import { durationText } from "./time-text.js";

/** From how many seconds on the end of a run is worth a notification. */
const LONG = 10;

/** Notifies of the ends of long runs while the page is hidden, if the reader wants that. */
export class Notifier {
  /** @param {import("./app.js").App} app */
  constructor({ model, settings, selection }) {
    model.addEventListener("ended", ({ detail }) => {
      const time = elapsed(detail, model.now);
      if (!settings.notifies || !document.hidden || time < LONG) return;
      const how = [executionState(detail), endText(detail)].filter(Boolean).join(", ");
      const body = `${how} after ${durationText(time)}`;
      const note = notification(`${detail.command} #${detail.id}`, { body, tag: `run ${detail.id}` });
      if (note) note.onclick = () => {
        focus();
        selection.select(detail.id);
        note.close();
      };
    });
  }
}

/** A notification; null where a page itself can make none, as on telephones. */
function notification(title, options) {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}
