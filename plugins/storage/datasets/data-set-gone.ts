import type { Outcome } from '#kernel'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { type DataSet, markLost, markWriteBlocked } from './data-set-store.ts'

/** A provider says that it will not write to the data set. Only the chain's word changes its state. */
export async function handleDataSetGone(
  { reads, database, clock, pace, log }: Pipeline,
  dataSet: DataSet,
  message: string,
): Promise<Outcome> {
  if (dataSet.chainId === null) throw new PipelineFault('data_set_unknown', `the provider does not know data set ${dataSet.id}: ${message}`)
  const liveness = await reads.liveness(dataSet.chainId)
  // Alive on chain: the provider errs, or has not caught up. That is a fault of this attempt, not the end of a paid service.
  if (liveness.live)
    throw new PipelineFault(
      'data_set_refused',
      `provider ${dataSet.providerId} refuses data set ${dataSet.chainId}, which is live on chain: ${message}`,
    )
  log.warn('a data set takes no more pieces', { dataSet: dataSet.id, chainId: dataSet.chainId.toString(), reason: liveness.reason })
  await database.write((tx) => {
    const why = { message: `the chain says: ${liveness.reason}`, nowMs: clock.now() }
    if (liveness.reason === 'terminated') markWriteBlocked(tx, dataSet.id, why)
    else markLost(tx, dataSet.id, why)
  })
  return waitFor(clock, 'data_set', pace.epochMs, 'the data set has ended on chain; its bucket needs another provider')
}
