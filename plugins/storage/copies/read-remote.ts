import type { Clock, Database, Log } from '#kernel'
import type { OpenedPiece } from '../chain/provider-pieces.ts'
import type { ObjectVersion, OpenedObject } from '../contract.ts'
import type { Providers } from '../datasets/providers.ts'
import { storageErrors } from '../errors.ts'
import { beginProof } from './content-proof.ts'
import { createCopyDoubts } from './copy-doubts.ts'
import { type ReadableCopy, readableCopies, sha256Of } from './placement-store.ts'

export interface RemoteDoors {
  readonly database: Database
  readonly providers: Pick<Providers, 'client'>
  readonly clock: Clock
  readonly log: Log
}

const retryAfterSeconds = 10
/** Up to this size a copy is proved right before its first byte is handed on, so that the next copy can take the place of a wrong one. */
const provenFirstBytesMax = 8 * 1024 * 1024

/**
 * Opens a version whose bytes are not cached, from its stored copies. The whole object never ends as a complete wrong answer. A part
 * of an object above 8 MiB is as the provider gave it: the proof is over the whole.
 */
export function createRemoteReader(doors: RemoteDoors) {
  const doubts = createCopyDoubts(doors.clock)
  return async function readRemote(version: ObjectVersion, contentId: number): Promise<OpenedObject> {
    const { read } = doors.database
    const stop = new AbortController()
    const reading = {
      ...doors,
      doubts,
      version,
      copies: doubts.trustedFirst(readableCopies(read, contentId)),
      sha256: sha256Of(read, contentId),
      signal: stop.signal,
    }
    return {
      version,
      source: 'provider',
      read: (range) => readCopies(reading, range),
      async [Symbol.asyncDispose]() {
        stop.abort()
      },
    }
  }
}

interface Reading extends RemoteDoors {
  readonly doubts: ReturnType<typeof createCopyDoubts>
  readonly version: ObjectVersion
  readonly copies: readonly ReadableCopy[]
  readonly sha256: string | null
  readonly signal: AbortSignal
}

/** Inclusive. */
interface Range {
  readonly start: number
  readonly end: number
}

function readCopies(reading: Reading, range: Range | undefined): AsyncIterable<Uint8Array> {
  const { size } = reading.version
  if (size <= provenFirstBytesMax) return provenFirst(reading, range ?? { start: 0, end: size - 1 })
  return range ? joined(reading, range) : provenLast(reading)
}

/** Fetches the whole from one copy after the other until one proves right, then gives the wanted part. */
async function* provenFirst(reading: Reading, { start, end }: Range): AsyncIterable<Uint8Array> {
  const { version, copies, doubts, log } = reading
  for (const copy of copies) {
    const proof = beginProof(reading.sha256, copy.pieceCid)
    const blocks: Uint8Array[] = []
    try {
      for await (const block of bytesOf(reading, copy, { start: 0, end: version.size - 1 })) {
        proof.add(block)
        blocks.push(block)
      }
    } catch (error) {
      tellUnreadable(reading, copy, error)
      continue
    }
    if (proof.holds()) {
      yield Buffer.concat(blocks).subarray(start, end + 1)
      return
    }
    doubts.raise(copy)
    log.warn('a copy has other bytes than the object', { provider: copy.serviceUrl, piece: copy.pieceCid })
  }
  throw unavailable(reading)
}

/** The last block is held back until the whole proved right, so that wrong bytes never end as a complete answer. */
async function* provenLast(reading: Reading): AsyncIterable<Uint8Array> {
  const { version, copies, doubts, log } = reading
  const used = new Set<ReadableCopy>()
  const proof = beginProof(reading.sha256, copies[0]?.pieceCid ?? '')
  let last: Uint8Array | undefined
  for await (const block of joined(reading, { start: 0, end: version.size - 1 }, (copy) => used.add(copy))) {
    proof.add(block)
    if (last) yield last
    last = block
  }
  if (!proof.holds()) {
    // Whoever asks again is served by the others.
    for (const copy of used) doubts.raise(copy)
    log.warn('copies have other bytes than the object', { providers: [...used].map(({ serviceUrl }) => serviceUrl), key: version.key })
    throw storageErrors.content_unavailable({ message: `a stored copy of '${version.key}' does not have the right bytes` })
  }
  if (last) yield last
}

/** The bytes of the range; when a copy breaks off, the next one goes on from there. */
async function* joined(reading: Reading, { start, end }: Range, onCopy?: (copy: ReadableCopy) => void): AsyncIterable<Uint8Array> {
  let at = start
  for (const copy of reading.copies) {
    try {
      for await (const block of bytesOf(reading, copy, { start: at, end })) {
        onCopy?.(copy)
        at += block.length
        yield block
      }
      return
    } catch (error) {
      tellUnreadable(reading, copy, error)
    }
  }
  throw unavailable(reading)
}

/** @throws Error when the copy does not answer or gives fewer bytes */
async function* bytesOf(
  { providers, version, signal }: Reading,
  { serviceUrl, pieceCid }: ReadableCopy,
  { start, end }: Range,
): AsyncIterable<Uint8Array> {
  const isWhole = start === 0 && end === version.size - 1
  const answer = await providers.client(serviceUrl).openPiece(pieceCid, isWhole ? { signal } : { range: { start, end }, signal })
  if (answer.kind !== 'ok') throw new Error(answer.cause.detail, { cause: answer.cause })
  let left = end - start + 1
  for await (const block of cut(answer.value, { start, end })) {
    left -= block.length
    yield block
  }
  if (left > 0) throw new Error(`the answer ended ${left} bytes early`)
}

/** Only the wanted bytes: a provider may send everything although a part was asked for, or too much. */
async function* cut({ stream, isPartial }: OpenedPiece, { start, end }: Range): AsyncIterable<Uint8Array> {
  let at = isPartial ? start : 0
  for await (const block of stream as AsyncIterable<Buffer>) {
    const from = Math.max(0, start - at)
    const to = Math.min(block.length, end + 1 - at)
    if (from < to) yield block.subarray(from, to)
    at += block.length
    if (at > end) return
  }
}

function tellUnreadable({ signal, doubts, log }: Reading, copy: ReadableCopy, error: unknown): void {
  // The reader is gone: no copy is to blame, and no other is asked.
  signal.throwIfAborted()
  doubts.raise(copy)
  log.warn('a copy cannot be read', { provider: copy.serviceUrl, piece: copy.pieceCid, error })
}

function unavailable({ version, copies }: Reading): Error {
  return storageErrors.content_unavailable({
    message: `the bytes of '${version.key}' are not in the cache, and none of its ${copies.length} stored copies gives them now`,
    retryAfterSeconds,
  })
}
