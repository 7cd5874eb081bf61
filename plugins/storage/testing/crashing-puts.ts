/** Child process: sends the DSN of its database, puts objects, sends a message for each acknowledged put, and kills itself with SIGKILL at a probe. */
import { subscribe } from 'node:diagnostics_channel'
import { openObjectStorage } from './object-storage.ts'

/** Concurrent puts. */
const writers = 4
const keysInUse = 10

const [dir, probe, hits] = process.argv.slice(2)
let left = Number(hits)
subscribe('svc.probe', (reached) => {
  if ((reached as { readonly name: string }).name !== probe) return
  left -= 1
  if (left === 0) process.kill(process.pid, 'SIGKILL')
})

const storage = await openObjectStorage({ dir: String(dir) })
process.send?.(storage.dsn)
let count = 0
const putForever = async () => {
  for (;;) {
    const n = count++
    // Some keys and some bytes repeat, and every fifth body has several chunks.
    const text = `body ${n % 7 === 0 ? 'of many' : n} `.repeat(n % 5 === 0 ? 20_000 : 20)
    const { key, versionId } = await storage.put(`k${n % keysInUse}`, text)
    process.send?.({ key, versionId, text })
  }
}
await Promise.all(Array.from({ length: writers }, putForever))
