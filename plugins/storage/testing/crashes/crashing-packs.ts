/** Child process: puts, packs and deletes small objects, sends a message for each that stays, and kills itself with SIGKILL at a probe. */
import { openObjectStorage } from '../object-storage.ts'
import { collectUpTo, packAll } from '../packs.ts'
import { killAtProbe } from './kill-at-probe.ts'

const dir = killAtProbe()
const storage = await openObjectStorage({ dir, collector: collectUpTo(1000), databaseBytesMax: 100 })
process.send?.(storage.dsn)

for (let round = 0; ; round++) {
  for (let at = 0; at < 5; at++) {
    const key = `${round}-${at}`
    // Some have their bytes in the database, some in a file.
    const text = `body ${key} `.repeat(at % 2 === 0 ? 3 : 50)
    const { versionId } = await storage.put(key, text)
    process.send?.({ key, versionId, text })
  }
  await packAll(storage)
}
