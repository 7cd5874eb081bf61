import type { Clock } from '../../core/clock.ts'

/** Sleeps and resolves with true, or with false as soon as the signal aborts. */
export async function sleepUnless(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await clock.sleep(ms, signal)
    return true
  } catch (error) {
    if (signal.aborted) return false
    throw error
  }
}
