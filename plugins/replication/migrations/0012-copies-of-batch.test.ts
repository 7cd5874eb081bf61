import { expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { queryPlan, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import * as removalAttempts from '../removals/attempt-store.ts'
import { removableRemovals, unfinalBatchesToRemoveFrom } from '../removals/removable-store.ts'
import { hasFreeRemovals, pendingRemovals, startedRemovals, withheldPiece } from '../removals/removal-store.ts'
import type { States } from '../states/states.ts'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline } from '../testing/test-pipeline.ts'

const why = { message: 'why', nextCheckAtMs: 0, nowMs: 0 }
const steps: Readonly<Record<string, (tx: Tx, states: States) => Promise<unknown>>> = {
  'a landing is rolled back': (tx, { batches }) => batches.rollBack(tx, 1, 'why'),
  'a pull arrives': (tx, { copies }) => copies.apply(tx, 'pulled', { batchId: 1 }),
  'an outcome is recorded as uncertain': (tx, { copies }) => copies.apply(tx, 'doubted', { batchId: 1 }),
  'a submission is reopened': (tx, { copies }) => copies.apply(tx, 'not_landed', { batchId: 1 }),
  'attention is raised': async (tx, { batches }) => {
    // Only of an open batch.
    await runSql(tx, "update commit_batches set state = 'uncertain' where id = 1")
    return batches.apply(tx, 'attention', 1, { attention: 'submission_unknown' })
  },
  'pending removals are listed': (tx) => pendingRemovals(tx, 1, 35),
  'removable removals are listed': (tx) => removableRemovals(tx, { dataSetId: 1, taskId: 1 }, 35),
  'a pass of removals ends': async (tx) => [await hasFreeRemovals(tx, 1), await withheldPiece(tx, { dataSetId: 1, taskId: 1 })],
  'started removals are listed': (tx) => startedRemovals(tx, 1),
  'batches with pending removals are listed': (tx) => unfinalBatchesToRemoveFrom(tx, 1, 35),
  'open attempts are listed': (tx) => removalAttempts.openAttempts(tx, 1),
  'a request for removals is accepted': (tx) => removalAttempts.recordSubmitted(tx, 1, { txHash: '0x', nowMs: 0 }),
  'a request for removals is uncertain': (tx) => removalAttempts.recordUncertain(tx, 1, why),
  'a request for removals is reopened': (tx) => removalAttempts.reopenAttempt(tx, 1, why),
  'the copies of a deleted content are released': (tx, { copies }) => copies.release(tx, [1]),
}

test.runIf(runsOnSqlite()).each(Object.entries(steps))('%s without a scan of all copies or removals', async (_name, step) => {
  await using rows = await openStorageRows()
  const dataSet = await rows.addDataSet()
  const { contentId } = await rows.addContent()
  const seen: string[] = []
  await rows.database.write(async (tx) => {
    await runSql(
      tx,
      `insert into commit_batches (id, data_set_id, method, state, nonce, extra_data, created_at, updated_at) values (1, ?, 'store', 'confirmed', '1', '0x', 0, 0)`,
      dataSet.id,
    )
    await runSql(tx, "update contents set state = 'deleting' where id = ?", contentId)
    await step(
      watchStatements(tx, (sql) => seen.push(sql)),
      createTestPipeline(rows).states,
    )
  })
  const plan = await queryPlan(rows.database.read, seen)
  expect(plan).not.toEqual([])
  // A scan of json_each is the list of ids passed to the query.
  expect(plan.filter((detail) => detail.startsWith('SCAN') && !detail.startsWith('SCAN json_each'))).toEqual([])
  expect(plan.join()).toMatch(/USING (COVERING )?INDEX (copies_of_batch|removals_open|removals_piece|removals_of_attempt)/)
})
