import { elapsed } from "./state-text.js";
import { durationText } from "./time-text.js";

/**
 * What the executions of a command have in common: how often they succeed, how long they take, and how
 * often the result changes although nothing says why.
 *
 * @param {import("./model.js").Execution[]} runs that have ended, the latest last
 * @returns {Object<string, {text: string, about: string}>} by name
 */
export function statisticsOf(runs) {
  const judged = runs.filter(({ state }) => state !== "cancelled");
  const succeeded = judged.filter(({ state }) => state === "completed");
  const times = succeeded.filter((each) => !each.up_to_date).map((each) => elapsed(each, 0))
    .sort((one, other) => one - other);
  const numbers = { Runs: { text: String(runs.length), about: "executions that are known" } };
  if (judged.length > 0) {
    numbers.Succeeded = {
      text: percent(succeeded.length / judged.length), about: "of those that were not cancelled",
    };
  }
  if (times.length > 0) {
    numbers.Median = { text: durationText(quantile(times, 0.5)), about: "half took at most this long" };
    numbers["90 %"] = { text: durationText(quantile(times, 0.9)), about: "nine of ten took at most this long" };
    numbers.Longest = { text: durationText(times.at(-1)), about: "of those that succeeded" };
  }
  const flips = changes(judged);
  if (flips !== null) {
    numbers.Flaky = {
      text: percent(flips), about: "how often the result differs from that of the run before, with the same input",
    };
  }
  return numbers;
}

/** The value below which a share of sorted values is. */
export function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? sorted[0];
}

/** The share of executions whose result differs from the one before; null for fewer than two. */
function changes(runs) {
  const last = new Map();
  let [pairs, flips] = [0, 0];
  for (const { input, state } of runs) {
    const key = JSON.stringify(input ?? {});
    if (last.has(key)) {
      pairs += 1;
      if (last.get(key) !== state) flips += 1;
    }
    last.set(key, state);
  }
  return pairs === 0 ? null : flips / pairs;
}

function percent(share) {
  return `${Math.round(share * 100)} %`;
}
