/** Child process: sends the DSN of its database, puts objects, sends a message for each acknowledged put, and kills itself with SIGKILL at a probe. */
import { killAtProbe } from './kill-at-probe.ts'
import { openObjectStorage } from './object-storage.ts'

/** Concurrent puts. */
const writers = 4
const keysInUse = 10

const dir = killAtProbe()

// Bodies of several chunks are objects of several contents.
const storage = await openObjectStorage({ dir, parts: { bytesMax: 50_000, roomWaitMs: 1000, roomPollMs: 10 } })
process.send?.(storage.dsn)
let count = 0
const refuse = () => {
  throw new Error('refused')
}
const putForever = async () => {
  for (;;) {
    const n = count++
    // Some keys and some bytes repeat, and every fifth body has several chunks.
    const text = `body ${n % 7 === 0 ? 'of many' : n} `.repeat(n % 5 === 0 ? 20_000 : 20)
    // Some are refused after their last byte.
    if (n % 10 === 0) await storage.put('refused', `refused ${text}`, { verify: refuse }).catch(() => {})
    const { key, versionId } = await storage.put(`k${n % keysInUse}`, text)
    process.send?.({ key, versionId, text })
  }
}
await Promise.all(Array.from({ length: writers }, putForever))
