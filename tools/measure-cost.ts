/** Runs before each test file: records its CPU time in `meta`. Child processes count after they have ended. */
import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** CPU seconds of the worker and its ended children. Undefined except on Linux. */
    cpuSeconds?: number
  }
}

const ticksPerSecond = 100

/** utime, stime, cutime and cstime of proc(5). */
function readSeconds(): number | undefined {
  if (process.platform !== 'linux') return undefined
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond
}

const before = readSeconds()

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the needed fixtures from this pattern
afterAll(({}, { meta }) => {
  const after = readSeconds()
  if (before !== undefined && after !== undefined) meta.cpuSeconds = after - before
})
