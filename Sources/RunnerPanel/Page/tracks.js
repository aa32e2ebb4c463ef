/**
 * Lays executions out side by side: each command has a lane, and in it as many tracks as it has executions
 * at a time.
 *
 * @param {import("./model.js").Execution[]} executions in the order of their starts
 * @param {number} now in seconds since 1970
 * @returns {{lanes: {command: string, tracks: number}[],
 *   track: Map<number, {lane: number, track: number}>}} `track` by the execution's number
 */
export function layOut(executions, now) {
  const lanes = new Map();
  const track = new Map();
  for (const { id, command, started, ended = now } of executions) {
    if (!lanes.has(command)) lanes.set(command, { index: lanes.size, ends: [] });
    const { index, ends } = lanes.get(command);
    const free = ends.findIndex((end) => end <= started);
    const place = free < 0 ? ends.length : free;
    ends[place] = ended;
    track.set(id, { lane: index, track: place });
  }
  return {
    lanes: [...lanes].map(([command, { ends }]) => ({ command, tracks: ends.length })),
    track,
  };
}
