// Loaded into the gateway before its own code: answers each message of the parent with the event-loop delay since the last one.
import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds between two measurements; the histogram includes them in every value. */
const resolution = 10
const millisPerNano = 1e-6

export interface EventLoopDelay {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const histogram = monitorEventLoopDelay({ resolution })
histogram.enable()
const delayOf = (nanos: number) => Math.max(0, nanos * millisPerNano - resolution)

process.on('message', () => {
  const delay: EventLoopDelay = {
    p50Ms: delayOf(histogram.percentile(50)),
    p99Ms: delayOf(histogram.percentile(99)),
    maxMs: delayOf(histogram.max),
  }
  histogram.reset()
  process.send?.(delay)
})
// The channel must not keep the gateway running after its stop.
process.channel?.unref()
