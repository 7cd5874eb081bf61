import { expect, test } from 'vitest'
import { silentLog } from '#kernel/testing'
import type { ObjectVersion, OpenedObject } from '#plugins/storage'
import { streamArchive } from './archive-stream.ts'

test('an object that opens after the client has left is closed', async () => {
  const asked = Promise.withResolvers<void>()
  const opening = Promise.withResolvers<OpenedObject>()
  let isClosed = false
  const notUsed = () => Promise.reject(new Error('not used'))
  const open = () => {
    asked.resolve()
    return opening.promise
  }
  const archive = streamArchive(
    { objects: { open, listKeys: notUsed }, versions: { deletedObjects: notUsed }, log: silentLog },
    { bucket: { id: 1, name: 'photos' }, targets: [{ key: 'a' }], objectsMax: 1 },
  )
  await asked.promise
  const left = new Promise<void>((resolve) => void archive.once('close', resolve))
  archive.destroy()
  await left
  opening.resolve({
    version: {} as ObjectVersion,
    source: 'provider',
    // More than the buffers hold: nothing reads to its end.
    read: async function* () {
      for (let n = 0; n < 100; n += 1) yield new Uint8Array(65_536)
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true
    },
  })
  await expect.poll(() => isClosed).toBe(true)
})
