import { expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { queryPlan, runsOnSqlite, watchStatements } from '#kernel/testing'
import { countCopiesInAttention } from '../copies/records/placement-store.ts'
import { isAnyCopyLeft } from '../holdings/forget-store.ts'
import { waitingForRetry } from '../removals/abandoned-store.ts'
import { keepItems, releasedItems, releaseItem } from '../states/released-item-store.ts'
import { openConfirmationScene } from '../testing/confirmation-scene.ts'
import { countEntries, findEntry, listEntries } from './confirmation-store.ts'

const item = { batchId: 1, copyId: 1 }
const steps: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
  'entries are listed': (tx) => listEntries(tx, 100),
  'entries are counted by reason': (tx) => countEntries(tx),
  'entries are counted': (tx) => countCopiesInAttention(tx),
  'one entry is found': (tx) => findEntry(tx, 1),
  'an item is released': (tx) => releaseItem(tx, item, 0),
  'released items are listed': (tx) => releasedItems(tx, 1),
  'a copy is committed by an earlier attempt': (tx) => keepItems(tx, 1, [1], 0),
  'a content is checked for pieces': (tx) => isAnyCopyLeft(tx, 9),
  'removals that wait for a retry are listed': (tx) => waitingForRetry(tx),
}

test.runIf(runsOnSqlite()).each(Object.entries(steps))('%s without a scan of a table', async (_name, step) => {
  await using scene = await openConfirmationScene()
  await scene.loseUntilAttention()
  const seen: string[] = []
  await scene.rows.database.write((tx) => step(watchStatements(tx, (sql) => seen.push(sql))))
  const plan = await queryPlan(scene.rows.database.read, seen)
  expect(plan).not.toEqual([])
  // These indexes have only the rows that need an operator, and open removals.
  const scans = plan.filter((detail) => /^SCAN (?!json_each|\d)/.test(detail))
  expect(scans.filter((detail) => !/INDEX (copies_attention|removals_of_copy|removals_of_attempt|removals_withheld)/.test(detail))).toEqual(
    [],
  )
})
