import { expect, test } from 'vitest'
import type { TaskQueue } from '#kernel'
import { createFakeClock } from '#kernel/testing'
import { rowContents } from '../testing/piece-keeper.ts'
import { openStorageRows } from '../testing/storage-rows.ts'
import { adoptContents } from './adopt-contents.ts'

test('after starts without the plugin, contents put meanwhile are stored and copies of deleted contents are removed, once', async () => {
  await using rows = await openStorageRows()
  const { database } = rows
  const dataSet = await rows.addDataSet()
  const [known, deleted, unknown] = [await rows.addContent(), await rows.addContent(), await rows.addContent()]
  for (const content of [known, deleted]) await rows.addCopy(content, dataSet, 'committed')
  await database.write((tx) => {
    tx.run('delete from contents where id = ?', deleted.contentId)
    tx.run('delete from pieces where content_id = ?', unknown.contentId)
  })
  const enqueued: string[] = []
  const queue: Pick<TaskQueue, 'enqueue' | 'isOpen'> = {
    enqueue: (_tx, { kind }, args) => enqueued.push(`${kind} ${JSON.stringify(args)}`),
    isOpen: () => false,
  }
  const adopt = () => adoptContents({ database, queue, clock: createFakeClock(), contents: rowContents })
  await adopt()
  expect(enqueued).toEqual([`storage_store {"contentId":${unknown.contentId}}`, `storage_cleanup {"dataSetId":${dataSet.id}}`])
  expect(database.read.all('select content_id as content, state from removals')).toEqual([{ content: deleted.contentId, state: 'pending' }])
  expect(database.read.get('select count(*) as n from pieces where content_id = ?', unknown.contentId)).toEqual({ n: 1 })
  await database.write((tx) => {
    tx.run("update removals set state = 'removed'")
    tx.run("update copies set state = 'removed' where content_id = ?", deleted.contentId)
  })
  await adopt()
  expect(enqueued).toHaveLength(2)
})
