import type { Tx } from '#kernel'
import { recountContent } from '../copies/copy-store.ts'
import { nextCheckMs } from '../pace.ts'
import type { Pipeline } from '../pipeline.ts'
import { type UnfinalDataSet, unfinalBatches, unfinalDataSet } from './look-store.ts'
import { releaseLostId, reopenCreation, reopenLanding } from './take-back-store.ts'

/** Batches of a vanished data set that are listed at once. */
const batchesPerPage = 100

/**
 * The chain does not have this confirmed batch any more, or not as recorded: its nonce decides again, and its contents count one copy
 * less in the same transaction, so that cached bytes are kept from then on (I-02). False when the batch is not confirmed.
 */
export function takeBackBatch(doors: Pipeline, tx: Tx, batchId: number, message: string): boolean {
  const { clock, pace, schedule, uploadEvents, log } = doors
  const nowMs = clock.now()
  const nextCheckAtMs = nowMs + nextCheckMs(pace, 0)
  const taken = reopenLanding(tx, batchId, { message, nextCheckAtMs, nowMs })
  if (!taken) return false
  for (const contentId of taken.contentIds) {
    for (const dataSetId of recountContent(tx, contentId, nowMs)) schedule.cleanup(tx, dataSetId)
    uploadEvents.moved(tx, contentId)
  }
  schedule.commit(tx, taken.dataSetId, nextCheckAtMs)
  tx.afterCommit(() =>
    log.warn('committed pieces vanished from the chain and are looked up again', {
      batch: batchId,
      dataSet: taken.dataSetId,
      contents: taken.contentIds.length,
      reason: message,
    }),
  )
  return true
}

/**
 * The chain does not have the data set under its recorded id any more. Its batches go first, each in its own transaction, so that no
 * content counts a copy on a data set that is being created. One that is lost only gives its id free. False when it could not go back.
 */
export async function takeBackCreation(doors: Pipeline, { id, landing }: UnfinalDataSet, message: string): Promise<boolean> {
  const { database, clock, schedule, log } = doors
  for (let after = 0; ; ) {
    const page = unfinalBatches(database.read, id, { after, limit: batchesPerPage })
    for (const batch of page) await database.write((tx) => takeBackBatch(doors, tx, batch.id, message))
    if (page.length < batchesPerPage) break
    after = page.at(-1)?.id ?? after
  }
  return database.write((tx) => {
    // A batch that landed in between goes with the next look.
    const isLeft = unfinalBatches(tx, id, { after: 0, limit: 1 }).length > 0
    const isSame = unfinalDataSet(tx, id)?.landing.dataSetId === landing.dataSetId
    if (isLeft || !isSame) return false
    const [place, nowMs] = [{ id, chainId: landing.dataSetId }, clock.now()]
    if (releaseLostId(tx, place, nowMs)) schedule.commit(tx, id)
    else if (reopenCreation(tx, place, { message, nowMs })) schedule.ensure(tx, id)
    else return false
    tx.afterCommit(() =>
      log.warn('a data set vanished from the chain and is looked up again', {
        dataSet: id,
        chainId: landing.dataSetId.toString(),
        reason: message,
      }),
    )
    return true
  })
}
