import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { Log } from '#kernel'
import type { Bucket, Objects, Versions } from '#plugins/storage'
import type { BulkTarget } from '../bulk/bulk-action-store.ts'
import { nextKeys } from '../bulk/bulk-page.ts'
import { bytesOf } from '../objects/bytes-of.ts'
import { EntryNames } from './entry-name-policy.ts'

interface ArchiveDeps {
  readonly objects: Pick<Objects, 'listKeys' | 'open'>
  readonly versions: Pick<Versions, 'deletedObjects'>
  readonly log: Log
}

interface ArchiveRequest {
  readonly bucket: Pick<Bucket, 'id' | 'name'>
  readonly targets: readonly BulkTarget[]
  readonly objectsMax: number
}

/**
 * A ZIP file of current objects, stored without compression. One object is read at a time, when its turn comes. An object that cannot be
 * read, or was deleted after the start, ends the stream with an error, so that a client never takes a part for the whole.
 */
export function streamArchive(deps: ArchiveDeps, request: ArchiveRequest): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  const fail = (error: unknown) => void output.destroy(error instanceof Error ? error : new Error(String(error)))
  zip.on('error', fail)
  void addAll(deps, request, { zip, output }).catch(fail)
  return output
}

interface Target {
  readonly zip: ZipFile
  readonly output: Readable
}

async function addAll(deps: ArchiveDeps, { bucket, targets, objectsMax }: ArchiveRequest, { zip, output }: Target): Promise<void> {
  const names = new EntryNames()
  let added = 0
  let place = { bucketId: bucket.id, bucket: bucket.name, targets, targetAt: 0, afterKey: '' }
  for (;;) {
    const page = await nextKeys(deps, place)
    if (!page || output.destroyed) break
    for (const key of page.items) {
      if (added === objectsMax) throw new Error(`the archive has more than ${objectsMax} objects`)
      added += 1
      zip.addReadStreamLazy(names.nameOf(key), { compress: false }, (give) => {
        openObject(deps, { bucket, key, output }).then(
          (stream) => give(null, stream),
          (error: unknown) => give(error, Readable.from([])),
        )
      })
    }
    place = { ...place, targetAt: page.targetAt, afterKey: page.afterKey }
  }
  zip.end()
}

async function openObject(
  { objects, log }: ArchiveDeps,
  { bucket, key, output }: { readonly bucket: Pick<Bucket, 'id' | 'name'>; readonly key: string; readonly output: Readable },
): Promise<Readable> {
  const bytes = bytesOf(await objects.open(bucket, key), log)
  const leave = () => void bytes.destroy()
  output.once('close', leave)
  bytes.once('close', () => void output.off('close', leave))
  // The client may have left while the object was opened.
  if (output.destroyed) leave()
  return bytes
}
