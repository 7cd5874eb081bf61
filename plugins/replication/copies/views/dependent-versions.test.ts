import { expect, test } from 'vitest'
import { createFakeClock, runSql } from '#kernel/testing'
import { openPieceStorage } from '../../testing/piece-storage.ts'
import { allOpen } from '../../testing/test-pipeline.ts'
import { createUploadMeter } from '../../upload-meter.ts'
import { createPlacements } from './placements.ts'

test('versions are listed by data set, with the number of readable copies on other data sets', async () => {
  await using storage = await openPieceStorage()
  const [first, second] = [await storage.put('a', 'one'), await storage.put('a', 'two')]
  const other = await storage.put('b/1', 'three')
  await storage.objects.delete('photos', 'a')
  for (const [version, dataSetId] of [
    [first, 1],
    [second, 1],
    [second, 2],
    [other, 2],
    [other, 3],
  ] as const) {
    await storage.placeCopy(version, { dataSetId, state: 'committed', pieceId: dataSetId * 10 + (version.contentId ?? 0) })
  }
  const clock = createFakeClock()
  const placements = createPlacements({
    database: storage.database,
    clock,
    queue: allOpen,
    uploads: createUploadMeter(clock),
    versions: storage.versions,
    pieceUrl: () => '',
    providerName: () => undefined,
  })
  const list = async (more: object, dataSetIds = [1, 2]) => {
    const page = await placements.versionsOn({ bucketId: first.bucketId, dataSetIds, limit: 2, ...more })
    return {
      ...page,
      versions: page.versions.map(({ versionId, isCurrent, dataSetIds, otherReadableCopies }) => ({
        id: versionId,
        current: isCurrent,
        dataSetIds,
        otherReadableCopies,
      })),
    }
  }
  const all = [
    { id: second.versionId, current: false, dataSetIds: [1, 2], otherReadableCopies: 0 },
    { id: first.versionId, current: false, dataSetIds: [1], otherReadableCopies: 0 },
    { id: other.versionId, current: true, dataSetIds: [2], otherReadableCopies: 1 },
  ]
  expect(await list({})).toEqual({ versions: all.slice(0, 2), isTruncated: true })
  expect(await list({ after: { key: 'a', versionId: first.versionId } })).toEqual({ versions: all.slice(2), isTruncated: false })
  expect((await list({ prefix: 'b' })).versions).toEqual(all.slice(2))
  expect((await list({ key: 'a' })).versions).toEqual(all.slice(0, 2))
  expect((await list({ limit: 5 }, [3])).versions).toEqual([
    { id: other.versionId, current: true, dataSetIds: [3], otherReadableCopies: 1 },
  ])
  expect((await list({}, [])).versions).toEqual([])

  // The data set seems to have too many versions to count: the page is found in another way.
  await storage.database.write((tx) => runSql(tx, 'update data_set_totals set referenced_versions = 2000 where data_set_id = 2'))
  expect(await list({})).toEqual({ versions: all.slice(0, 2), isTruncated: true })
})
