/** @walk copies 17: makes a batch that vanished undecided again */
import type { Tx } from '#kernel'
import { announceDataSet } from '../holdings/data-set-events.ts'
import { recountContents } from '../holdings/recount-contents.ts'
import { nextCheckMs } from '../pace.ts'
import type { CopyChangeDeps } from '../pipeline.ts'
import { type UnfinalDataSet, unfinalBatches, unfinalDataSet } from './landing-store.ts'
import { releaseLostId, reopenCreation, reopenLanding } from './roll-back-store.ts'

/** Page size of the batches of a missing data set. */
const batchesPerPage = 100

/**
 * The chain no longer has this confirmed batch, or has it with other ids: its nonce decides again. Its contents lose one durable copy in
 * the same transaction, so that cached bytes are kept (I-02). False when the batch is not confirmed.
 */
export async function rollBackBatch(deps: CopyChangeDeps, tx: Tx, batchId: number, message: string): Promise<boolean> {
  const { clock, pace, schedule, uploadEvents, log } = deps
  const nowMs = clock.now()
  const nextCheckAtMs = nowMs + nextCheckMs(pace, 0)
  const rolledBack = await reopenLanding(tx, batchId, { message, nextCheckAtMs, nowMs })
  if (!rolledBack) return false
  for (const dataSetId of await recountContents(deps, tx, rolledBack.contentIds, nowMs)) await schedule.cleanup(tx, dataSetId)
  uploadEvents.changed(tx, rolledBack.contentIds)
  await schedule.commit(tx, rolledBack.dataSetId, nextCheckAtMs)
  tx.afterCommit(() =>
    log.warn('committed pieces disappeared from the chain and are looked up again', {
      batch: batchId,
      dataSet: rolledBack.dataSetId,
      contents: rolledBack.contentIds.length,
      reason: message,
    }),
  )
  return true
}

/**
 * The chain no longer has the data set under its recorded id. Its batches are rolled back first, each in its own transaction, so that no
 * content counts a copy on a data set in creation. For a lost data set only the id is freed. False when the state changed meanwhile.
 */
export async function rollBackCreation(deps: CopyChangeDeps, { id, landing }: UnfinalDataSet, message: string): Promise<boolean> {
  const { database, clock, schedule, log } = deps
  for (let after = 0; ; ) {
    const page = await unfinalBatches(database.read, id, { after, limit: batchesPerPage })
    for (const batch of page) await database.write((tx) => rollBackBatch(deps, tx, batch.id, message))
    if (page.length < batchesPerPage) break
    after = page.at(-1)?.id ?? after
  }
  return database.write(async (tx) => {
    // A batch that landed in between is left to the next check.
    const isLeft = (await unfinalBatches(tx, id, { after: 0, limit: 1 })).length > 0
    const isSame = (await unfinalDataSet(tx, id))?.landing.dataSetId === landing.dataSetId
    if (isLeft || !isSame) return false
    const [place, nowMs] = [{ id, chainId: landing.dataSetId }, clock.now()]
    if (await releaseLostId(tx, place, nowMs)) await schedule.commit(tx, id)
    else if (await reopenCreation(tx, place, { message, nowMs })) await schedule.ensure(tx, id)
    else return false
    await announceDataSet(deps, tx, id)
    tx.afterCommit(() =>
      log.warn('a data set disappeared from the chain and is looked up again', {
        dataSet: id,
        chainId: landing.dataSetId.toString(),
        reason: message,
      }),
    )
    return true
  })
}
