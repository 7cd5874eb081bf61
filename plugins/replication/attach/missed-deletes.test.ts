import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel'
import { allRows } from '#kernel/testing'
import { catchUp, recordKeepers } from '../../storage/testing/rows.ts'
import { openVersionStorage } from '../../storage/testing/version-storage.ts'
import { openPieceStorage } from '../testing/piece-storage.ts'
import { replicationSchema, taskSchema } from '../testing/schemas.ts'

test('copies of contents that were deleted while the plugin was disabled end before a task can commit or pull them', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-missed-'))
  const first = await openPieceStorage({ dir })
  await first.database.write((tx) => recordKeepers(tx, first.keepers.names()))
  const [parked, committed, unplanned] = [await first.put('a', 'aaa'), await first.put('b', 'bbb'), await first.put('c', 'ccc')]
  await first.placeCopy(parked, { dataSetId: 1, state: 'parked' })
  await first.placeCopy(parked, { dataSetId: 2, state: 'planned' })
  await first.placeCopy(committed, { dataSetId: 3, state: 'committed', pieceId: 7 })
  await first.stop()
  const without = await openVersionStorage({ dir, keepers: [], moreSchemas: [taskSchema, replicationSchema] })
  for (const { key, versionId } of [parked, committed, unplanned]) await without.versions.delete({ bucket: 'photos', key, versionId })
  await without.database.write((tx) => recordKeepers(tx, []))
  await without.stop()
  const back = await openPieceStorage({ dir })
  const { read } = back.database
  await catchUp({ ...back, clock: systemClock })
  expect(await allRows(read, 'select data_set_id as id, state from copies')).toEqual([{ id: 3, state: 'committed' }])
  expect(await allRows(read, 'select content_id as content, state from removals')).toEqual([
    { content: committed.contentId, state: 'pending' },
  ])
  expect(back.cleanups).toEqual([3])
  expect(await allRows(read, 'select id from contents')).toEqual([{ id: committed.contentId }])
  expect(await allRows(read, 'select content_id as id from pieces')).toEqual([{ id: committed.contentId }])
  await back.expectSound()
  await back.stop()
  await rm(dir, { recursive: true, force: true })
})
