/** The most tracks of a lane: what there is no room for is drawn over the last one. */
const MOST = 24;

/**
 * Lays spans of time out side by side: each name has a lane, and in it as many tracks as it has spans at a
 * time.
 *
 * @param {{id: number, command: string, worker?: string, started: number, ended?: number}[]} executions in
 *   the order of their starts; a worker has a lane rather than a command
 * @param {number} now in seconds since 1970
 * @returns {{lanes: {name: string, tracks: number}[],
 *   track: Map<number, {lane: number, track: number}>}} `track` by the execution's number
 */
export function layOut(executions, now) {
  const lanes = new Map();
  const track = new Map();
  for (const { id, command, worker, started, ended = now } of executions) {
    const name = worker ?? command;
    if (!lanes.has(name)) lanes.set(name, { index: lanes.size, ends: [] });
    const { index, ends } = lanes.get(name);
    const free = ends.findIndex((end) => end <= started);
    const place = free >= 0 ? free : Math.min(ends.length, MOST - 1);
    ends[place] = Math.max(ended, ends[place] ?? 0);
    track.set(id, { lane: index, track: place });
  }
  return {
    lanes: [...lanes].map(([name, { ends }]) => ({ name, tracks: ends.length })),
    track,
  };
}
