/** Bytes of an object that are generated where they are needed, so that no large object is in memory. */
import { createHash, type Hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

export interface Body {
  readonly length: number
  /** As a gateway answers it, without quotes. */
  readonly etag: string
  /** Of at most `blockBytes`. The end is exclusive. */
  slice(start: number, end: number): Buffer
}

type Bytes = Pick<Body, 'length' | 'slice'>

export const blockBytes = 1024 * 1024
/** A sparse body has its seed and the number of the stretch at the start of each stretch, and zeros elsewhere. */
const stretchBytes = 64 * 1024
const markBytes = 8

export function bodyOf(bytes: Buffer): Body {
  return { length: bytes.length, etag: createHash('md5').update(bytes).digest('hex'), slice: (start, end) => bytes.subarray(start, end) }
}

export function sparseBody(seed: number, length: number): Promise<Body> {
  return withEtag({
    length,
    slice(start, end) {
      const bytes = Buffer.alloc(end - start)
      for (let at = Math.floor(start / stretchBytes); at * stretchBytes < end; at++) {
        const mark = Buffer.alloc(markBytes)
        mark.writeUInt32BE(seed)
        mark.writeUInt32BE(at, 4)
        const place = at * stretchBytes - start
        // The slice may begin within the mark.
        if (place > -markBytes) bytes.set(mark.subarray(Math.max(0, -place), end - start - place), Math.max(0, place))
      }
      return bytes
    },
  })
}

export const sliceOf = (body: Body, start: number, end: number): Promise<Body> =>
  withEtag({ length: end - start, slice: (from, to) => body.slice(start + from, start + to) })

/** The bytes and the ETag of an upload with these parts. */
export function joined(parts: readonly Body[]): Body {
  const digest = createHash('md5')
  for (const { etag } of parts) digest.update(etag, 'hex')
  return {
    length: parts.reduce((sum, { length }) => sum + length, 0),
    etag: `${digest.digest('hex')}-${parts.length}`,
    slice(start, end) {
      const found: Buffer[] = []
      let offset = 0
      for (const part of parts) {
        const [from, to] = [Math.max(start - offset, 0), Math.min(end - offset, part.length)]
        if (from < to) found.push(part.slice(from, to))
        offset += part.length
      }
      return Buffer.concat(found)
    },
  }
}

export function* blocksOf({ length, slice }: Bytes): Generator<Buffer, void, void> {
  for (let at = 0; at < length; at += blockBytes) yield slice(at, Math.min(length, at + blockBytes))
}

/** The first difference of the received bytes, from `start` to the exclusive `end` of the body; undefined when all are equal. */
export async function findDifference(
  { length, slice }: Bytes,
  received: AsyncIterable<Uint8Array>,
  { start, end } = { start: 0, end: length },
): Promise<string | undefined> {
  let at = start
  for await (const chunk of received) {
    for (let from = 0; from < chunk.length; from += blockBytes) {
      const part = chunk.subarray(from, from + blockBytes)
      if (at + part.length > end) return `more than ${end - start} bytes`
      if (!slice(at, at + part.length).equals(part)) return `other bytes within ${at} to ${at + part.length}`
      at += part.length
    }
  }
  return at === end ? undefined : `${at - start} bytes instead of ${end - start}`
}

/** Lower-case hex. The simulated providers share the thread, so it yields between blocks. */
export async function digestOf(name: 'md5' | 'sha256', bytes: Bytes): Promise<string> {
  const digest: Hash = createHash(name)
  for (const block of blocksOf(bytes)) {
    digest.update(block)
    if (bytes.length > blockBytes) await setImmediate()
  }
  return digest.digest('hex')
}

async function withEtag(bytes: Bytes): Promise<Body> {
  return { ...bytes, etag: await digestOf('md5', bytes) }
}
