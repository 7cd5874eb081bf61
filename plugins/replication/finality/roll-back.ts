import type { Pipeline } from '../pipeline.ts'
import { releaseLostId, type Unfinal, unfinalBatches, unfinalDataSet } from './landing-store.ts'

export type RollBackDeps = Pick<Pipeline, 'clock' | 'database' | 'log' | 'schedule' | 'states'>

/** Page size of the batches of a missing data set. */
const batchesPerPage = 100

/**
 * The chain no longer has the data set under its recorded id. Its batches are rolled back first, each in its own transaction, so that no
 * content counts a copy on a data set in creation. For a lost data set only the id is freed. False when the state changed since.
 */
export async function rollBackCreation(
  { database, clock, schedule, log, states }: RollBackDeps,
  { id, landing }: Unfinal,
  message: string,
): Promise<boolean> {
  for (let after = 0; ; ) {
    const page = await unfinalBatches(database.read, id, { after, limit: batchesPerPage })
    for (const batch of page) await database.write((tx) => states.batches.rollBack(tx, batch.id, message))
    if (page.length < batchesPerPage) break
    after = page.at(-1)?.id ?? after
  }
  return database.write(async (tx) => {
    // A batch that landed in between is left to the next check.
    const isLeft = (await unfinalBatches(tx, id, { after: 0, limit: 1 })).length > 0
    const isSame = (await unfinalDataSet(tx, id))?.landing.dataSetId === landing.dataSetId
    if (isLeft || !isSame) return false
    const chainId = landing.dataSetId
    if (await releaseLostId(tx, { id, chainId }, clock.now())) {
      await schedule.commit(tx, id)
      await states.dataSets.announce(tx, id)
    } else if (!(await states.dataSets.apply(tx, 'creation_rolled_back', id, { chainId, message }))) return false
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
