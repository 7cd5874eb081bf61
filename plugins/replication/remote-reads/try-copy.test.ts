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

test.each([
  ['other bytes', { parts: [100], proves: false }, 'content_mismatch'],
  ['fewer bytes than it announced', { parts: [60], proves: true }, 'incomplete'],
  ['a byte now and then', { parts: [1, 'never'], proves: true }, 'too_slow'],
] as const)('a provider that sends %s is reported', async (_what, { parts, proves }, reason) => {
  const reports: unknown[] = []
  const openPiece = async (_cid: string, { signal }: { readonly signal: AbortSignal }) => {
    async function* stream() {
      for (const part of parts) {
        if (part !== 'never') yield Buffer.alloc(part)
        else await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      }
    }
    return { kind: 'ok', value: { stream: stream(), isPartial: true, length: 100 } }
  }
  const attempt = await tryCopy(
    {
      providers: {
        client: () => ({ openPiece }) as unknown as Pick<ProviderPieces, 'openPiece'>,
        report: (url, call) => void reports.push([url, call]),
      },
      suspects: createSuspectCopies(systemClock),
      log: silentLog,
      limits: { ...remoteReadLimits, grace: 1, bytesPerSecond: 1_000_000 },
    },
    { start: 0, length: 100, isWhole: true, proves: () => proves },
    {
      copy: { serviceUrl: 'http://lying', pieceCid: 'baga' } as ReadableCopy,
      slot: { bytes: Buffer.alloc(100), release: () => {} },
      signal: new AbortController().signal,
    },
  )
  expect(attempt.isProved).toBe(false)
  expect(reports).toEqual([['http://lying', { kind: 'read', failure: { call: 'openPiece', reason } }]])
})
