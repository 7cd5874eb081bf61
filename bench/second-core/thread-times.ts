// CPU time of every thread of some processes. Linux only.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

const idlePollMs = 50
const idlePollsMax = 20
const idleMicrosMax = 5000

/** Microseconds by process and thread. */
type ThreadTimes = ReadonlyMap<string, number>

export function threadTimes(pids: readonly number[]): ThreadTimes {
  const times = new Map<string, number>()
  for (const pid of pids) {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      try {
        const [nanos] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
        times.set(`${pid}/${thread}`, Number(nanos) / 1000)
      } catch {
        // The thread has ended.
      }
    }
  }
  return times
}

/** Of each thread since `before`, the busiest first. */
export const usedSince = (before: ThreadTimes, after: ThreadTimes): number[] =>
  [...after].map(([thread, micros]) => micros - (before.get(thread) ?? 0)).sort((left, right) => right - left)

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Resolves when the processes use under 10 % of a CPU, at the latest after a second. */
export async function waitUntilIdle(pids: readonly number[]): Promise<void> {
  let before = threadTimes(pids)
  for (let poll = 0; poll < idlePollsMax; poll++) {
    await pause(idlePollMs)
    const now = threadTimes(pids)
    if (sum(usedSince(before, now)) < idleMicrosMax) return
    before = now
  }
}
