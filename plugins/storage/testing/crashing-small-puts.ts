/** Child process: like crashing-puts.ts, with small bodies, whose bytes are in the database. */
import { killAtProbe } from './kill-at-probe.ts'
import { openObjectStorage } from './object-storage.ts'

/** Concurrent puts. */
const writers = 4
const keysInUse = 10

const dir = killAtProbe()
const storage = await openObjectStorage({ dir, databaseBytesMax: 16 * 1024 })
process.send?.(storage.dsn)
let count = 0
const refuse = () => {
  throw new Error('refused')
}
const putForever = async () => {
  for (;;) {
    const n = count++
    // Some keys and some bytes repeat, and every fifth body is too large for the database.
    const text = `body ${n % 7 === 0 ? 'of many' : n} `.repeat(n % 5 === 0 ? 2000 : 200)
    // Some are refused after their last byte.
    if (n % 10 === 0) await storage.put('refused', `refused ${text}`, { verify: refuse }).catch(() => {})
    const { key, versionId } = await storage.put(`k${n % keysInUse}`, text)
    process.send?.({ key, versionId, text })
  }
}
await Promise.all(Array.from({ length: writers }, putForever))
