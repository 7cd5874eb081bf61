/**
 * Child process: sends the DSN of its database, uploads, completes, aborts and copies objects in parts, sends a message for each
 * acknowledged object, and kills itself with SIGKILL at a probe.
 */
import type { UploadPart } from '../../contract.ts'
import { openObjectStorage } from '../object-storage.ts'
import { stageUploads } from '../staged-uploads.ts'
import { killAtProbe } from './kill-at-probe.ts'

const writers = 3
const keysInUse = 5
const { signal } = new AbortController()

const dir = killAtProbe()

/** A third of the uploads are larger than a piece. */
const parts = { bytesMax: 400, roomWaitMs: 0, roomWaitMsMax: 0, roomPollMs: 1 }
const storage = await openObjectStorage({ dir, parts })
await storage.buckets.create({ name: 'archive', ownerAccessKey: null })
process.send?.(storage.dsn)
const staged = stageUploads(storage.uploads)
let count = 0

async function uploadForever(): Promise<void> {
  for (;;) {
    const n = count++
    const key = `k${n % keysInUse}`
    const texts = [`part one of ${n % 4} `, `part two of ${n} `.repeat(20), n % 3 === 2 ? 'last '.repeat(30) : 'last']
    const upload = await staged.create(key)
    const parts: UploadPart[] = []
    for (const [at, text] of texts.entries()) {
      // Some parts are replaced, and an unlisted one is dropped.
      if (n % 3 === 0) await staged.put(upload, at + 1, 'replaced')
      parts.push(await staged.put(upload, at + 1, text))
    }
    await staged.put(upload, 100, 'unlisted')
    if (n % 5 === 4) await staged.abort(upload)
    else {
      const { versionId } = await staged.complete(upload, parts)
      process.send?.({ bucket: 'photos', key, versionId, text: texts.join('') })
      const target = { bucket: n % 2 === 0 ? 'photos' : 'archive', key: `copy of ${key}` }
      const { version } = await storage.objects.copy({ source: { bucket: 'photos', key, versionId }, target })
      process.send?.({ ...target, versionId: version.versionId, text: texts.join('') })
    }
    const idle = await staged.create('idle')
    const place = { bucket: 'photos', key: 'idle', uploadId: idle.id }
    await storage.uploads.copyPart({ ...place, partNumber: 1, source: await plainSource(n) })
    if (n % 4 === 3) await storage.uploads.expire(Date.now() + 1, signal).catch(() => 0)
  }
}

async function plainSource(n: number): Promise<{ readonly bucket: string; readonly key: string }> {
  const key = `plain ${n % keysInUse}`
  await storage.put(key, `plain ${n % keysInUse}`)
  return { bucket: 'photos', key }
}

// An expiry of one writer ends uploads of the others: they begin again.
const again = async (): Promise<void> => uploadForever().catch(again)
await Promise.all(Array.from({ length: writers }, again))
