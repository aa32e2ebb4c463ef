/**
 * A duration as a reader wants it: `40 ms`, `12.3 s`, `4 min 05 s`, `2 h 14 min`.
 *
 * @param {number} seconds
 */
export function durationText(seconds) {
  const time = Math.max(0, seconds);
  if (time < 0.9995) return `${Math.round(time * 1000)} ms`;
  if (time < 59.95) return `${time.toFixed(1)} s`;
  const whole = Math.round(time);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`;
  return `${minutes} min ${twoDigits(whole % 60)} s`;
}

/** A time of day as the reader's country writes it. */
export function clockText(seconds) {
  return new Date(seconds * 1000).toLocaleTimeString();
}

/** A time of day to the millisecond, always as long: `09:04:05.678`. */
export function stampText(seconds) {
  const date = new Date(seconds * 1000);
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits);
  return `${parts.join(":")}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

function twoDigits(number) {
  return String(number).padStart(2, "0");
}
