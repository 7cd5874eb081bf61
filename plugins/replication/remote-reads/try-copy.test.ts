import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { silentLog } from '#kernel/testing'
import type { ProviderPieces } from '#plugins/providers'
import type { ReadableCopy } from '../copies/records/placement-store.ts'
import { remoteReadLimits } from './remote-read-limits.ts'
import { createSuspectCopies } from './suspect-copies.ts'
import { tryCopy } from './try-copy.ts'

test('the pieces of an answer are freed when their bytes are copied, also one before the wanted range', async () => {
  const all = randomBytes(5 * 64 * 1024)
  const pieces = Array.from({ length: 5 }, (_, at) => {
    const piece = Buffer.allocUnsafeSlow(64 * 1024)
    all.copy(piece, 0, at * piece.length)
    return piece
  })
  async function* stream() {
    yield* pieces
  }
  const answer = { kind: 'ok', value: { stream: stream(), isPartial: false, length: all.length } }
  const client = { openPiece: async () => answer } as unknown as Pick<ProviderPieces, 'openPiece'>
  const bytes = Buffer.alloc(100_000)
  const attempt = await tryCopy(
    {
      providers: { client: () => client, report: () => {} },
      suspects: createSuspectCopies(systemClock),
      log: silentLog,
      limits: remoteReadLimits,
    },
    { start: 66_000, length: bytes.length, isWhole: false, proves: () => true },
    {
      copy: { serviceUrl: 'http://127.0.0.1:1', pieceCid: 'baga' } as ReadableCopy,
      slot: { bytes, release: () => {} },
      signal: new AbortController().signal,
    },
  )
  expect(attempt.isProved).toBe(true)
  expect(bytes.equals(all.subarray(66_000, 166_000))).toBe(true)
  // The answer is longer than the range: its end is not read.
  expect(pieces.map(({ length }) => length)).toEqual([0, 0, 0, 65_536, 65_536])
})
