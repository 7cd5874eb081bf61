import type { Clock } from '../core/clock.ts'

export interface FakeClock extends Clock {
  /** Advances the time. Sleeps end in order of their times, and work started by one runs before the next one ends. */
  advance(ms: number): Promise<void>
}

interface Sleeper {
  readonly atMs: number
  wake(): void
}

/** Event loop turns without outside work after each ended sleep: enough for a few sequential transactions on SQLite. */
const turnsPerWake = 30

/** A clock that changes only when a test advances it. `isBusy`: whether work of the last wake waits for a server. */
export function createFakeClock(startMs: number = Date.UTC(2026, 0, 1), isBusy: () => boolean = () => false): FakeClock {
  const sleepers = new Set<Sleeper>()
  let nowMs = startMs

  async function takeTurns(): Promise<void> {
    for (let idle = 0; idle < turnsPerWake; idle = isBusy() ? 0 : idle + 1) await new Promise((resolve) => setImmediate(resolve))
  }

  async function wakeUntil(endMs: number): Promise<void> {
    await takeTurns()
    for (let next = earliest(sleepers, endMs); next !== undefined; next = earliest(sleepers, endMs)) {
      nowMs = Math.max(nowMs, next.atMs)
      next.wake()
      await takeTurns()
    }
  }

  return {
    now: () => nowMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const stop = () => {
          sleepers.delete(sleeper)
          reject(signal?.reason)
        }
        const sleeper = {
          atMs: nowMs + Math.max(ms, 0),
          wake() {
            sleepers.delete(sleeper)
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        signal?.addEventListener('abort', stop, { once: true })
        sleepers.add(sleeper)
        // A real timer of 0 ms would fire too.
        if (ms <= 0) setImmediate(() => sleepers.has(sleeper) && sleeper.wake())
      }),
    async advance(ms) {
      const endMs = nowMs + ms
      await wakeUntil(endMs)
      nowMs = endMs
      await takeTurns()
    },
  }
}

/** Chooses among equal times the one that started first, because a set keeps insertion order. */
function earliest(sleepers: ReadonlySet<Sleeper>, endMs: number): Sleeper | undefined {
  let found: Sleeper | undefined
  for (const sleeper of sleepers) if (sleeper.atMs <= endMs && (found === undefined || sleeper.atMs < found.atMs)) found = sleeper
  return found
}
