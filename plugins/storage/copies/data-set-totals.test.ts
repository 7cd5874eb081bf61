import { expect, test } from 'vitest'
import { openStorageRows, type StorageRows } from '../testing/storage-rows.ts'
import { listDataSetRecords } from './placement-store.ts'

const totals = ({ database }: StorageRows) =>
  listDataSetRecords(database.read, 1).map(({ committedCopies, physicalBytes }) => [committedCopies, physicalBytes])

test('the totals of a data set count its committed copies and their bytes', async () => {
  await using rows = await openStorageRows()
  const [first, second] = [await rows.addDataSet(), await rows.addDataSet()]
  const [large, small] = [await rows.addContent({ bytes: Buffer.alloc(1000) }), await rows.addContent({ bytes: Buffer.alloc(200) })]
  expect(totals(rows)).toEqual([
    [0, 0],
    [0, 0],
  ])
  await rows.addCopy(large, first, 'committed')
  const lost = await rows.addCopy(small, first, 'committed')
  const parked = await rows.addCopy(small, second, 'parked')
  expect(totals(rows)).toEqual([
    [2, 1200],
    [0, 0],
  ])
  await rows.database.write((tx) => {
    tx.run("update copies set state = 'lost' where id = ?", lost)
    tx.run("update copies set state = 'committed', chain_piece_id = '7' where id = ?", parked)
    // An update of other columns is not counted again.
    tx.run("update copies set state = 'committed', updated_at = 5 where id = ?", parked)
  })
  expect(totals(rows)).toEqual([
    [1, 1000],
    [1, 200],
  ])
  await rows.database.write((tx) => tx.run('delete from copies where data_set_id = ?', first.id))
  expect(totals(rows)).toEqual([
    [0, 0],
    [1, 200],
  ])
})
