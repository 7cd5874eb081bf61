import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { allRows, createFakeClock, getRow, runSql } from '#kernel/testing'
import type { ObjectVersion } from '#plugins/storage'
import { openPieceStorage, type PieceStorage } from '../../testing/piece-storage.ts'
import { allOpen } from '../../testing/test-pipeline.ts'
import { createUploadMeter } from '../../upload-meter.ts'
import { createPlacements } from './placements.ts'

const bytesMax = 1024
const options = { sizes: { bytesMin: 0, bytesMax: 64 * 1024 }, parts: { bytesMax, roomWaitMs: 0, roomWaitMsMax: 0, roomPollMs: 1 } }

function viewsOf({ database, versions }: PieceStorage) {
  const clock = createFakeClock()
  const uploads = createUploadMeter(clock)
  const more = { pieceUrl: (url: string, cid: string) => `${url}/${cid}`, providerName: () => undefined }
  return { uploads, placements: createPlacements({ database, clock, queue: allOpen, uploads, versions, ...more }) }
}

const partsOf = async ({ database }: PieceStorage, { contentId }: ObjectVersion) =>
  (
    await allRows<{ id: number }>(
      database.read,
      'select part_content_id as id from content_parts where content_id = ? order by part_no',
      contentId,
    )
  ).map(({ id }) => id)

/** Commits copies of one part on these data sets. */
async function commit(storage: PieceStorage, { bucketId }: ObjectVersion, contentId: number, dataSetIds: readonly number[]): Promise<void> {
  for (const dataSetId of dataSetIds) {
    await storage.placeCopy({ bucketId, contentId } as ObjectVersion, {
      dataSetId,
      state: 'committed',
      pieceId: dataSetId * 100 + contentId,
    })
  }
  await storage.database.write((tx) => storage.contents.recount(tx, [contentId], 5000))
}

test('the state, the copies and the places of an object of several pieces are those of its parts', async () => {
  await using storage = await openPieceStorage(options)
  const version = await storage.put('large', randomBytes(2 * bytesMax + 100))
  const { placements, uploads } = viewsOf(storage)
  const id = version.contentId ?? 0
  const [a = 0, b = 0, c = 0] = await partsOf(storage, version)
  const situation = async () => (await placements.ofContents([id])).get(id)
  const place = async () => {
    const placement = await placements.ofVersion(version.bucketId, version.versionId)
    return {
      ...placement,
      copies: placement?.copies.map(({ copyIndex, status, pieceId, retrievalUrl }) => [copyIndex, status, pieceId, retrievalUrl]),
    }
  }
  expect(await situation()).toEqual({
    state: 'cached',
    isCached: true,
    isDenied: false,
    isReadable: true,
    isStuck: false,
    isOnChain: false,
    pieceCid: null,
    upload: null,
    copies: { work: 'working', target: 2, stored: 0, waitReason: null, waitMessage: null, waitUntilMs: null, slots: [] },
  })
  expect((await placements.countObjects()).byState).toEqual(
    new Map([
      ['cached', 1],
      ['stored', 0],
    ]),
  )

  await commit(storage, version, a, [1, 2])
  uploads.begin(b, { attempt: 1, totalBytes: bytesMax })
  expect(await situation()).toMatchObject({ state: 'uploading', isCached: true, upload: { totalBytes: bytesMax } })
  expect(await place()).toMatchObject({
    copies: [
      [1, 'pending', null, null],
      [2, 'pending', null, null],
    ],
    requestedCopies: 2,
    pieceCid: null,
  })
  // The first part leaves the cache, and the object stays readable.
  await storage.cache.evict(a)
  expect(await situation()).toMatchObject({ isCached: false, isReadable: true, isOnChain: false })
  expect(await place()).toMatchObject({ isCached: false, isReadable: true })

  for (const part of [b, c]) await commit(storage, version, part, [1, 2])
  expect(await situation()).toMatchObject({ state: 'stored', isOnChain: true, isReadable: true, copies: { work: 'complete', stored: 2 } })
  expect(await place()).toMatchObject({
    state: 'stored',
    copies: [
      [1, 'committed', null, null],
      [2, 'committed', null, null],
    ],
  })
  expect(await getRow(storage.database.read, 'select store_state, durable_copies from contents where id = ?', id)).toEqual({
    store_state: 'stored',
    durable_copies: 2,
  })
  await storage.expectSound()

  await storage.database.write((tx) =>
    runSql(tx, "update copies set state = 'failed', last_error = 'refused' where content_id = ? and data_set_id = 2", b),
  )
  await storage.database.write((tx) => storage.contents.recount(tx, [b], 6000))
  expect(await place()).toMatchObject({
    copies: [
      [1, 'committed', null, null],
      [2, 'failed', null, null],
    ],
    message: 'provider 2: refused',
  })
})

test('two parts in one pack have the copies of the pack, in the list and in the details', async () => {
  await using storage = await openPieceStorage(options)
  const version = await storage.put('large', randomBytes(2 * bytesMax))
  const pack = (await storage.put('pack', randomBytes(bytesMax))).contentId ?? 0
  const { placements } = viewsOf(storage)
  const parts = await partsOf(storage, version)
  await storage.database.write(async (tx) => {
    await runSql(tx, `insert into packs (content_id, bucket_id, created_at) values (${pack}, ${version.bucketId}, 0)`)
    for (const [at, part] of parts.entries()) {
      await runSql(tx, `insert into pack_members (content_id, pack_id, offset_bytes, length) values (${part}, ${pack}, ${at * 10}, 10)`)
    }
  })
  await commit(storage, version, pack, [1, 2])
  const id = version.contentId ?? 0
  expect((await placements.ofContents([id])).get(id)?.copies).toMatchObject({
    stored: 2,
    slots: [{ status: 'committed' }, { status: 'committed' }],
  })
  expect((await placements.ofVersion(version.bucketId, version.versionId))?.copies.map(({ status }) => status)).toEqual([
    'committed',
    'committed',
  ])
})

test('versions of objects of several pieces are counted and listed with the data sets of their parts', async () => {
  await using storage = await openPieceStorage(options)
  const shared = randomBytes(bytesMax)
  const version = await storage.put('large', Buffer.concat([shared, randomBytes(50)]))
  const alone = await storage.put('alone', shared)
  const [a = 0, b = 0] = await partsOf(storage, version)
  expect(alone.contentId).toBe(a)
  await commit(storage, version, a, [1, 2, 3])
  await commit(storage, version, b, [1, 2])
  await commit(storage, version, b, [4])
  const { placements } = viewsOf(storage)
  const dataSets = await placements.dataSetsOf([version.bucketId])
  expect(dataSets.map(({ id, referencedVersions, currentVersions }) => [id, referencedVersions, currentVersions])).toEqual([
    [1, 2, 2],
    [2, 2, 2],
    [3, 2, 2],
    [4, 1, 1],
  ])
  expect(await placements.countVersionsOn(dataSets, 1000)).toBe(2)
  expect(await placements.countVersionsOn(dataSets.slice(3), 1000)).toBe(1)
  const list = async (...dataSetIds: number[]) => {
    const page = await placements.versionsOn({ bucketId: version.bucketId, dataSetIds, limit: 10 })
    return page.versions.map(({ key, dataSetIds, otherReadableCopies }) => [key, dataSetIds, otherReadableCopies])
  }
  expect(await list(4)).toEqual([['large', [4], 2]])
  expect(await list(1, 3)).toEqual([
    ['alone', [1, 3], 1],
    ['large', [1, 3], 1],
  ])
  expect(await list(2, 4)).toEqual([
    ['alone', [2], 2],
    ['large', [2, 4], 1],
  ])
})

test('after the last version the pieces of every part are removed, apart from those of other objects', async () => {
  await using storage = await openPieceStorage(options)
  const shared = randomBytes(bytesMax)
  const version = await storage.put('large', Buffer.concat([shared, randomBytes(50)]))
  await storage.put('alone', shared)
  const [a = 0, b = 0] = await partsOf(storage, version)
  await commit(storage, version, a, [1, 2])
  await commit(storage, version, b, [1, 2])
  const place = { bucket: 'photos', key: 'large', versionId: version.versionId }
  expect(await storage.versions.deletePermanently(place)).toMatchObject({ cacheRelease: 'released' })
  expect(await allRows(storage.database.read, 'select content_id, data_set_id from removals order by data_set_id')).toEqual([
    { content_id: b, data_set_id: 1 },
    { content_id: b, data_set_id: 2 },
  ])
  expect(storage.cleanups).toEqual([1, 2])
  await storage.expectSound()
})

test('an empty object is stored without copies', async () => {
  await using storage = await openPieceStorage(options)
  const version = await storage.put('empty', new Uint8Array(0))
  const { placements } = viewsOf(storage)
  const id = version.contentId ?? 0
  expect((await placements.ofContents([id])).get(id)).toMatchObject({ state: 'stored', isCached: true, isReadable: true })
  expect(await placements.ofVersion(version.bucketId, version.versionId)).toMatchObject({ state: 'stored', requestedCopies: 0, copies: [] })
  expect((await placements.countObjects()).byState).toEqual(new Map([['stored', 1]]))
  await storage.expectSound()
})
