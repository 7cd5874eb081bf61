import { expect, test } from 'vitest'
import type { Tx } from '#kernel'
import { queryPlan, runSql, runsOnSqlite, watchStatements } from '#kernel/testing'
import { recordUncertain, reopenSubmission } from '../copies/batches/submission-store.ts'
import { markPulled, raiseAttention } from '../copies/records/batch-step-store.ts'
import { reopenLanding } from '../finality/roll-back-store.ts'
import { releaseCopies } from '../holdings/release-store.ts'
import * as removalAttempts from '../removals/attempt-store.ts'
import { removableRemovals, unfinalBatchesToRemoveFrom } from '../removals/removable-store.ts'
import { hasFreeRemovals, pendingRemovals, startedRemovals, withheldPiece } from '../removals/removal-store.ts'
import { openStorageRows } from '../testing/storage-rows.ts'

const why = { message: 'why', nextCheckAtMs: 0, nowMs: 0 }
const steps: Readonly<Record<string, (tx: Tx) => Promise<unknown>>> = {
  'a landing is rolled back': (tx) => reopenLanding(tx, 1, why),
  'a pull arrives': (tx) => markPulled(tx, 1, 0),
  'an outcome is recorded as uncertain': (tx) => recordUncertain(tx, 1, why),
  'a submission is reopened': (tx) => reopenSubmission(tx, 1, why),
  'attention is raised': async (tx) => {
    // Only of an open batch.
    await runSql(tx, "update commit_batches set state = 'uncertain' where id = 1")
    return raiseAttention(tx, 1, 'submission_unknown', 0)
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
  'the copies of a deleted content are released': (tx) => releaseCopies(tx, [1], 0),
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
    await step(watchStatements(tx, (sql) => seen.push(sql)))
  })
  const plan = await queryPlan(rows.database.read, seen)
  expect(plan).not.toEqual([])
  // A scan of json_each is the list of ids passed to the query.
  expect(plan.filter((detail) => detail.startsWith('SCAN') && !detail.startsWith('SCAN json_each'))).toEqual([])
  expect(plan.join()).toMatch(/USING (COVERING )?INDEX (copies_of_batch|removals_open|removals_piece|removals_of_attempt)/)
})
