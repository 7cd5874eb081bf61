import { Readable } from 'node:stream'
import type { Log } from '#kernel'
import type { ByteRange, OpenedObject } from '#plugins/storage'

/** The bytes of an opened object, all by default. Their end closes the object, also when nothing was read because the client left. */
export function bytesOf(opened: OpenedObject, log: Log, range?: ByteRange): Readable {
  const bytes = Readable.from(opened.read(range), { objectMode: false })
  bytes.once('close', async () => {
    try {
      await opened[Symbol.asyncDispose]()
    } catch (error) {
      // The answer is complete or the client has left, so the error can only be logged.
      log.warn('an object that was read could not be closed', { error })
    }
  })
  return bytes
}
