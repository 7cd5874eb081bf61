import { expect, test } from 'vitest'
import { queryPlan, runsOnSqlite, watchStatements } from '#kernel/testing'
import { countBatches } from '../copies/records/batch-store.ts'
import { unfinalBatches } from '../finality/landing-store.ts'
import { endRemovals } from '../holdings/open-removals-store.ts'
import { hasOpenRemovals } from '../removals/removal-store.ts'
import { hasWaitingCopies } from '../states/follow-store.ts'
import { openBatches } from '../testing/open-batches.ts'
import { openStorageRows } from '../testing/storage-rows.ts'
import { createTestPipeline } from '../testing/test-pipeline.ts'
import { forgetDataSet, forgetRecords } from './forget-data-set-store.ts'
import { hasOpenWork } from './open-work-store.ts'

test.runIf(runsOnSqlite())(
  'the indexes for the deletion of data sets change no plan of the pipeline, and the deletion reads two tables once',
  async () => {
    await using rows = await openStorageRows()
    const { database } = rows
    const planOf = async (step: (tx: Parameters<Parameters<typeof database.write>[0]>[0]) => Promise<unknown>) => {
      const seen: string[] = []
      await database.write((tx) => step(watchStatements(tx, (sql) => seen.push(sql))))
      return (await queryPlan(database.read, seen)).join('\n')
    }
    const pipeline = await planOf(async (tx) => {
      await openBatches(tx, 1)
      await countBatches(tx, 1, { method: 'store', states: ['ready'] })
      await createTestPipeline(rows).states.dataSets.endUnsent(tx, 1)
      await hasWaitingCopies(tx, 1)
      await unfinalBatches(tx, 1, { after: 0, limit: 1 })
      await endRemovals(tx, 1, 0)
      await hasOpenRemovals(tx, 1)
    })
    expect(pipeline).not.toMatch(/removals_ended|commit_batches_ended/)
    const deletion = await planOf(async (tx) => {
      await hasOpenWork(tx, 1)
      await forgetRecords(tx, 1, 10)
      await forgetDataSet(tx, 1)
    })
    expect(deletion).toMatch(/removals_ended/)
    expect(deletion).toMatch(/commit_batches_ended/)
    // The foreign keys of the deleted data set.
    expect(deletion.split('\n').filter((detail) => detail.startsWith('SCAN') && !detail.startsWith('SCAN CONSTANT ROW'))).toEqual([
      'SCAN removals',
      'SCAN commit_batches',
    ])
  },
)
