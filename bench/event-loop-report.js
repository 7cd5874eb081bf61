// Loaded into the gateway before its own code: answers each message of the parent with the event-loop delay since the last one.
// Plain JavaScript: Node's TypeScript loader would take 15 MiB of the memory that is measured.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'

/** Milliseconds between two measurements; the histogram includes them in every value. */
const resolution = 10
const millisPerNano = 1e-6

const histogram = monitorEventLoopDelay({ resolution })
histogram.enable()
const delayOf = (nanos) => Math.max(0, nanos * millisPerNano - resolution)

process.on('message', () => {
  const delay = {
    p50Ms: delayOf(histogram.percentile(50)),
    p99Ms: delayOf(histogram.percentile(99)),
    maxMs: delayOf(histogram.max),
  }
  histogram.reset()
  process.send?.(delay)
})
// The channel must not keep the gateway running after its stop.
process.channel?.unref()
