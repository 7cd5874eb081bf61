import type { OpenUncached } from '../contents/byte-sources.ts'
import type { ByteRange, ReadOptions } from '../contract.ts'

const blockBytes = 64 * 1024

interface SourceHold {
  /** Resolves when a download waits here. */
  readonly reached: Promise<void>
  release(): void
}

/** Copies of contents in memory, as a provider would serve them. A block that was lent is zero when the next one is requested. */
export interface ColdSource {
  readonly openUncached: OpenUncached
  /** Bytes by content id. */
  readonly copies: Map<number, Uint8Array>
  /** First byte of each download so far, in the order of their starts. */
  readonly downloads: number[]
  /** Downloads that have not ended. */
  readonly running: () => number
  /** The first download that reaches this position waits there until the release. Not ended by a disposal. */
  holdAt(position: number): SourceHold
  /** Whether it says that it compares its bytes with what is recorded. */
  isProved: boolean
  /** Downloads that reach this position fail there. */
  failAt: number | undefined
}

export function createColdSource(): ColdSource {
  const holds = new Map<number, { readonly reach: () => void; readonly gate: Promise<void> }>()
  const downloads: number[] = []
  let running = 0

  async function waitAt(at: number): Promise<void> {
    for (const [position, { reach, gate }] of holds) {
      if (position > at) continue
      holds.delete(position)
      reach()
      await gate
    }
  }

  async function* download(bytes: Uint8Array, { start, end, lends }: ByteRange & ReadOptions): AsyncGenerator<Uint8Array, void, void> {
    downloads.push(start)
    running += 1
    try {
      for (let at = start; at <= end; ) {
        await waitAt(at)
        if (source.failAt !== undefined && at >= source.failAt) throw new Error('the copy cannot be read')
        const block = Buffer.from(bytes.subarray(at, Math.min(at + blockBytes, end + 1)))
        at += block.length
        yield block
        if (lends) block.fill(0)
      }
    } finally {
      running -= 1
    }
  }

  const source: ColdSource = {
    copies: new Map(),
    downloads,
    running: () => running,
    isProved: false,
    failAt: undefined,
    async openUncached(version, contentId) {
      const bytes = source.copies.get(contentId)
      if (!bytes) throw new Error(`no copy of content ${contentId}`)
      return {
        version,
        source: 'provider',
        isProved: source.isProved,
        read: (range, options) => download(bytes, { ...(range ?? { start: 0, end: bytes.length - 1 }), ...options }),
        async [Symbol.asyncDispose]() {},
      }
    },
    holdAt(position) {
      const reached = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      holds.set(position, { reach: reached.resolve, gate: gate.promise })
      return { reached: reached.promise, release: gate.resolve }
    },
  }
  return source
}
