/** A clock that begins in the past and can run faster until it is the wall clock: charts then show more time than their making took. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '#kernel'

interface PassingClock extends Clock {
  /** Milliseconds of this clock minus those of the wall clock. */
  offsetMs(): number
  /** Runs `speed` times as fast as the wall clock, which it does not overtake. */
  run(speed: number): void
  /** Continues as the wall clock. */
  arrive(): void
}

/** A sleeper looks at the clock so often: its speed may have changed. */
const lookMs = 100

export function createPassingClock(behindMs: number): PassingClock {
  let from = { wallMs: Date.now(), offsetMs: -behindMs, speed: 1 }
  const offsetMs = () => Math.min(0, from.offsetMs + (Date.now() - from.wallMs) * (from.speed - 1))
  const now = () => Date.now() + offsetMs()
  return {
    now,
    offsetMs,
    async sleep(ms, signal) {
      const end = now() + ms
      do await sleep(Math.max(0, Math.min(lookMs, (end - now()) / from.speed)), undefined, { signal })
      while (now() < end)
    },
    run(speed) {
      from = { wallMs: Date.now(), offsetMs: offsetMs(), speed }
    },
    arrive() {
      from = { wallMs: Date.now(), offsetMs: 0, speed: 1 }
    },
  }
}
