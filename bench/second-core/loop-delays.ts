// Event-loop delay of every loop of a variant: the 99th percentile since the last question.
import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolution = 10
const millisPerNano = 1e-6

export function watchDelay(): () => number {
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  return () => {
    const p99 = Math.max(0, histogram.percentile(99) * millisPerNano - resolution)
    histogram.reset()
    return p99
  }
}
