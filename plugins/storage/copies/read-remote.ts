import { createHash } from 'node:crypto'
import type { Database, Log } from '#kernel'
import type { ObjectVersion, OpenedObject } from '../contract.ts'
import type { Providers } from '../datasets/providers.ts'
import { storageErrors } from '../errors.ts'
import { type ReadableCopy, readableCopies, sha256Of } from './placement-store.ts'

export interface RemoteDoors {
  readonly database: Database
  readonly providers: Providers
  readonly log: Log
}

const retryAfterSeconds = 10

/** Opens a version whose bytes are not cached from the first of its committed copies that answers. */
export function createRemoteReader(doors: RemoteDoors) {
  return async function readRemote(version: ObjectVersion, contentId: number): Promise<OpenedObject> {
    const copies = readableCopies(doors.database.read, contentId)
    const sha256 = sha256Of(doors.database.read, contentId)
    const stop = new AbortController()
    return {
      version,
      source: 'provider',
      read: (range) => streamFirst(doors, { version, copies, sha256, range, signal: stop.signal }),
      async [Symbol.asyncDispose]() {
        stop.abort()
      },
    }
  }
}

interface Wanted {
  readonly version: ObjectVersion
  readonly copies: readonly ReadableCopy[]
  readonly sha256: string | null
  readonly range: { readonly start: number; readonly end: number } | undefined
  readonly signal: AbortSignal
}

async function* streamFirst({ providers, log }: RemoteDoors, wanted: Wanted): AsyncIterable<Uint8Array> {
  const { version, copies, range, signal } = wanted
  for (const { serviceUrl, pieceCid } of copies) {
    const answer = await providers.client(serviceUrl).openPiece(pieceCid, range ? { range, signal } : { signal })
    if (answer.kind !== 'ok') {
      log.warn('a copy cannot be read', { provider: serviceUrl, piece: pieceCid, cause: answer.cause })
      continue
    }
    const { stream, isPartial } = answer.value
    // Another provider is only tried before the first byte: bytes that were handed on cannot be taken back.
    yield* range && !isPartial ? cut(stream, range) : range ? stream : verified(stream, wanted)
    return
  }
  throw storageErrors.content_unavailable({
    message: `the bytes of '${version.key}' are not in the cache, and none of its ${copies.length} stored copies answers now`,
    retryAfterSeconds,
  })
}

/** The last block is held back until the whole proved right, so that wrong bytes never end as a complete answer. */
async function* verified(stream: AsyncIterable<Uint8Array>, { version, sha256 }: Wanted): AsyncIterable<Uint8Array> {
  const hash = createHash('sha256')
  let last: Uint8Array | undefined
  for await (const block of stream) {
    hash.update(block)
    if (last) yield last
    last = block
  }
  if (sha256 !== null && hash.digest('hex') !== sha256)
    throw storageErrors.content_unavailable({ message: `a stored copy of '${version.key}' does not have the right bytes` })
  if (last) yield last
}

/** The provider sent everything although a part was asked for. */
async function* cut(
  stream: AsyncIterable<Uint8Array>,
  { start, end }: { readonly start: number; readonly end: number },
): AsyncIterable<Uint8Array> {
  let at = 0
  for await (const block of stream) {
    const from = Math.max(0, start - at)
    const to = Math.min(block.length, end + 1 - at)
    if (from < to) yield block.subarray(from, to)
    at += block.length
    if (at > end) return
  }
}
