import { Kind, Lines } from "./lines.js";
import { stepText } from "./state-text.js";

/** More values are only kept as lines. */
const MOST_VALUES = 10_000;

/** The output of an execution as far as the page has it. */
export class OutputRecord {
  lines = new Lines();
  /** Whether a process has written to standard error. */
  hasErrors = false;
  /** What was sent but texts, as far as it is kept here, and how much it was. */
  values = [];
  valueCount = 0;
  /**
   * The steps of its work that have begun; those of a further attempt follow.
   *
   * @type {{line: number, number: number, count: number, name: string, time: number}[]} `line` is that of
   *   its heading
   */
  steps = [];
  /** The number of the output that comes next. */
  next = 0;

  /**
   * Takes an output. One that it has already is left out.
   *
   * @returns {boolean} false if outputs before it are missing
   */
  take({ n, type, ts, value, chunk, missed, stderr, ...fields }) {
    if (type === "unfinished") {
      if (n === this.next) this.lines.begin(value, stderr ? Kind.error : Kind.value, ts);
      return true;
    }
    if (n < this.next) return true;
    if (n > this.next) return false;
    if (type === "lost") {
      this.skip(n + missed, ts);
      return true;
    }
    this.next = n + 1;
    if (type === "step") {
      this.#begin(fields, ts);
      return true;
    }
    const kind = type === "stderr" ? Kind.error : Kind.value;
    this.hasErrors ||= kind === Kind.error;
    if (typeof value !== "string") this.#keep(value);
    if (chunk) this.lines.appendPiece(value, kind, ts);
    else this.lines.append(String(value), kind, ts);
    return true;
  }

  #begin({ step: number, steps: count, name }, time) {
    const line = this.lines.append(stepText({ number, count, name }), Kind.step, time);
    this.steps.push({ line, number, count, name, time });
  }

  #keep(value) {
    this.valueCount += 1;
    if (this.values.length < MOST_VALUES) this.values.push(value);
  }

  /** The first outputs are no longer kept: goes on behind them. */
  skip(count, ts = 0) {
    if (count <= this.next) return;
    const lost = count - this.next;
    const text = lost === 1 ? "1 line is no longer kept" : `${lost} lines are no longer kept`;
    this.lines.append(text, Kind.note, ts);
    this.next = count;
  }
}
