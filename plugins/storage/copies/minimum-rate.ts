import type { RemoteReadLimits } from './remote-read-limits.ts'

export interface RateWatch extends Disposable {
  /** So many more bytes came. */
  add(bytes: number): void
}

/**
 * Calls back once when a transfer falls behind the minimum rate: an average since the end of the grace time, so that single bytes now and
 * then do not keep it alive. Dispose when the transfer ends.
 */
export function watchRate(
  { grace, bytesPerSecond }: Pick<RemoteReadLimits, 'grace' | 'bytesPerSecond'>,
  onTooSlow: (error: Error) => void,
): RateWatch {
  const startedMs = performance.now()
  let bytes = 0
  const leftMs = () => startedMs + grace + (bytes * 1000) / bytesPerSecond - performance.now()
  const look = () => {
    if (leftMs() > 0) arm()
    else onTooSlow(new Error(`${bytes} bytes in ${Math.round(performance.now() - startedMs)} ms are below the minimum rate`))
  }
  let timer: NodeJS.Timeout
  const arm = () => {
    // Node may fire a timer a moment early; rounding up ends the loop.
    timer = setTimeout(look, Math.ceil(leftMs()))
  }
  arm()
  return {
    add(more) {
      bytes += more
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
