import { done, type Outcome } from '#kernel'
import type { Turn } from '#plugins/providers'
import { type DataSet, findDataSets } from '../../datasets/data-set-store.ts'
import { type Pipeline, waitFor } from '../../pipeline.ts'
import type { Copy, PipelineContent } from '../records/copy-store.ts'

/** Poll interval while a store waits for a data set or a provider; a new data set notifies it earlier. */
export const recheckEpochs = 4

/** The other copies are pulled. While some have no provider, the task keeps polling for one. */
export function doneWhenPlanned(
  { clock, pace }: Pick<Pipeline, 'clock' | 'pace'>,
  { targetCopies, size }: PipelineContent,
  { length }: readonly Copy[],
): Outcome {
  if (length >= targetCopies) return done()
  const message = `${length} of ${targetCopies} copies have a provider; more providers that take a piece of ${size} bytes are needed`
  return waitFor(clock, 'provider', pace.epochMs * recheckEpochs, message)
}

/** The store task only changes copies outside batches. */
export const held = (copy: Copy) => ({ ids: [copy.id], batchId: null })

export interface Ingress {
  readonly copy: Copy
  readonly dataSet: DataSet
}

/** Copies whose data set takes writes, fewest setbacks first. The pause of a refused data set delays its copies. */
export async function listIngresses({ database }: Pick<Pipeline, 'database'>, copies: readonly Copy[]): Promise<readonly Ingress[]> {
  const ready: Ingress[] = []
  const planned = copies.filter(({ state }) => state === 'planned')
  const dataSets = await findDataSets(
    database.read,
    planned.map(({ dataSetId }) => dataSetId),
  )
  for (const copy of planned) {
    const dataSet = dataSets.get(copy.dataSetId)
    if (dataSet?.state !== 'ready') continue
    ready.push({ copy: { ...copy, nextAttemptAtMs: Math.max(copy.nextAttemptAtMs, dataSet.writesPausedUntilMs ?? 0) }, dataSet })
  }
  return ready.sort((a, b) => a.copy.setbacks - b.copy.setbacks || a.copy.slot - b.copy.slot)
}

/** When all slots are in use, the next free one notifies the task. */
export function takeTurn(
  { providers, notifyStore }: Pick<Pipeline, 'providers' | 'notifyStore'>,
  contentId: number,
  { dataSet }: Ingress,
): Turn {
  return providers.turns.take(dataSet.serviceUrl, 'store', { id: contentId, notify: () => notifyStore(contentId) })
}
