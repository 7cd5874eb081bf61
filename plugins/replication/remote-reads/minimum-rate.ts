import type { RemoteReadLimits } from './remote-read-limits.ts'

interface RateWatch extends Disposable {
  /** Counts received bytes. */
  add(bytes: number): void
}

/**
 * Calls back once when a transfer falls below the minimum rate: the average since the end of the grace time, so that single bytes do not
 * keep it alive. Dispose when the transfer ends.
 */
export function watchRate(
  { grace, bytesPerSecond }: Pick<RemoteReadLimits, 'grace' | 'bytesPerSecond'>,
  onTooSlow: (error: Error) => void,
): RateWatch {
  const startedMs = performance.now()
  let bytes = 0
  const leftMs = () => startedMs + grace + (bytes * 1000) / bytesPerSecond - performance.now()
  const check = () => {
    if (leftMs() > 0) arm()
    else onTooSlow(new Error(`${bytes} bytes in ${Math.round(performance.now() - startedMs)} ms are below the minimum rate`))
  }
  let timer: NodeJS.Timeout
  const arm = () => {
    // Node may fire a timer slightly early; rounding up ends the loop.
    timer = setTimeout(check, Math.ceil(leftMs()))
  }
  arm()
  return {
    add(more) {
      bytes += more
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
