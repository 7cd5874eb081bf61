// Loaded into the gateway before its own code: answers each message of the parent with the event-loop delay since the last one.
// Plain JavaScript: Node's TypeScript loader would take 15 MiB of the memory that is measured.
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'

/** Milliseconds between two measurements; the histogram includes them in every value. */
const resolution = 10
const millisPerNano = 1e-6

const histogram = monitorEventLoopDelay({ resolution })
histogram.enable()
const delayOf = (nanos) => Math.max(0, nanos * millisPerNano - resolution)

// CPU time of this thread between two measurements: above the resolution, the loop was late by itself and not for lack of a processor.
const own = createHistogram()
const cpuMicros = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
let last = cpuMicros()
setInterval(() => {
  const now = cpuMicros()
  own.record(Math.max(1, now - last))
  last = now
}, resolution).unref()
const ownDelayOf = (micros) => Math.max(0, micros / 1000 - resolution)

process.on('message', () => {
  const delay = {
    p50Ms: delayOf(histogram.percentile(50)),
    p99Ms: delayOf(histogram.percentile(99)),
    maxMs: delayOf(histogram.max),
    ownP99Ms: ownDelayOf(own.percentile(99)),
  }
  histogram.reset()
  own.reset()
  process.send?.(delay)
})
// The channel must not keep the gateway running after its stop.
process.channel?.unref()
