import { systemClock } from '../core/clock.ts'

export interface LockWait {
  /** Longest wait for the holder to stop. 0: no wait. */
  readonly ms: number
  readonly signal?: AbortSignal | undefined
  /** Called once, when the wait begins. */
  readonly onWait?: (reason: string) => void
}

const pollMs = 100

/** Tries to lock until it succeeds, fails with an error that `isHeld` does not accept, or the wait has passed: then the last error. */
export async function lockOrWait<T>(
  tryLock: () => T | Promise<T>,
  isHeld: (error: unknown) => boolean,
  { ms, signal, onWait }: LockWait = { ms: 0 },
): Promise<T> {
  const deadlineMs = performance.now() + ms
  for (let hasWaited = false; ; hasWaited = true) {
    try {
      return await tryLock()
    } catch (error) {
      if (!isHeld(error) || performance.now() >= deadlineMs) throw error
      if (!hasWaited) onWait?.((error as Error).message)
    }
    await systemClock.sleep(pollMs, signal)
  }
}
