import { hash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { runSql, silentLog } from '#kernel/testing'
import { openProviderClient } from '../../providers/testing/index.ts'
import { readAll } from '../../storage/testing/object-storage.ts'
import { createCachedContents } from '../../storage/testing/rows.ts'
import { stageUploads } from '../../storage/testing/staged-uploads.ts'
import { calculatePiece } from '../copies/ingress/cached-file.ts'
import { keepChunkRoots } from '../copies/records/chunk-roots-store.ts'
import { findPipelineContent, setPieceCid } from '../copies/records/copy-store.ts'
import { createPieceCalculator } from '../pieces/piece-calculator.ts'
import { chunkRawBytes } from '../pieces/piece-size.ts'
import type { Pipeline } from '../pipeline.ts'
import { openPieceStorage } from '../testing/piece-storage.ts'
import { serveCopy } from '../testing/remote-object.ts'
import { createRemoteReader, type RemoteReader } from './read-remote.ts'

test.each([
  ['one chunk, proved by the piece CID', [300, 2000, 127]],
  ['several chunks, proved by their roots', [chunkRawBytes + 5, 700_000, chunkRawBytes]],
])('I-31: an evicted object of several parts is read from a provider and cached again: %s', async (_name, lengths) => {
  const remote: { reader?: RemoteReader } = {}
  await using storage = await openPieceStorage({
    fillsOnRead: true,
    maxBytes: 64 * 1024 * 1024,
    openUncached: (version, contentId) => remote.reader?.open(version, contentId) ?? Promise.reject(new Error('no reader')),
  })
  const parts = lengths.map((length) => randomBytes(length))
  const whole = Buffer.concat(parts)
  const version = await stageUploads(storage.uploads).object('video', parts)
  const contentId = version.contentId ?? 0

  const cached = createCachedContents({ cache: storage.cache, database: storage.database, reconcileCapacity: async () => {} })
  const file = await cached.locate(contentId)
  expect(file?.segments.map(({ size }) => size)).toEqual(lengths)
  if (!file) return
  await using pieces = createPieceCalculator({ threads: 1 })
  const { pieceCid, chunkRoots } = await calculatePiece({ pieces } as unknown as Pipeline, file, new AbortController().signal)
  await storage.placeCopy(version, { dataSetId: 1, state: 'committed', pieceId: 1 })
  await storage.placeCopy(version, { dataSetId: 2, state: 'committed', pieceId: 2 })
  const content = await findPipelineContent(storage.database.read, contentId)
  await using bad = await serveCopy(Buffer.from(whole.map((byte) => byte ^ 1)))
  await using good = await serveCopy(whole)
  await storage.database.write(async (tx) => {
    await setPieceCid(tx, content?.pieceId ?? 0, pieceCid)
    await keepChunkRoots(tx, { pieceId: content?.pieceId ?? 0, size: version.size }, chunkRoots)
    await runSql(tx, 'update data_sets set service_url = case id when 1 then ? else ? end', bad.url, good.url)
  })
  await storage.uncache(version)
  expect(storage.cache.stats().usedBytes).toBe(0)

  await using client = new AsyncDisposableStack()
  const open = (url: string) => {
    const provider = openProviderClient(url, { allowPrivateNetworks: true })
    client.defer(() => provider.close())
    return provider
  }
  const clients = new Map([bad.url, good.url].map((url) => [url, open(url)] as const))
  const providers = { client: (url: string) => clients.get(url) ?? open(url), report: () => {} }
  await using reader = createRemoteReader({
    database: storage.database,
    providers,
    clock: systemClock,
    log: silentLog,
    suspect: async () => {},
  })
  remote.reader = reader
  const read = async (range?: { readonly start: number; readonly end: number }) =>
    Buffer.from(await readAll(await storage.objects.open('photos', 'video'), range))
  const range = { start: (lengths[0] ?? 0) - 5, end: (lengths[0] ?? 0) + 5 }
  expect((await read(range)).equals(whole.subarray(range.start, range.end + 1))).toBe(true)
  expect((await read()).equals(whole)).toBe(true)
  expect(bad.ranges.length).toBeGreaterThan(0)
  // The chunks were proved, so the read filled the cache, with one file.
  const sourceOf = async () => {
    await using opened = await storage.objects.open('photos', 'video')
    return opened.source
  }
  await expect.poll(sourceOf).toBe('cache')
  expect((await cached.locate(contentId))?.segments).toMatchObject([{ size: whole.length, sha256: hash('sha256', whole) }])
  expect((await read()).equals(whole)).toBe(true)
})
