/** What a plugin that moves a slot asks the new provider. */
import type { ReplicaSlots } from '../contract.ts'
import { findDataSet } from '../datasets/data-set-store.ts'
import type { Pipeline } from '../pipeline.ts'
import { suspectCopy } from '../standing/report-copy.ts'
import { finalCopies } from './final-copy-store.ts'

export type AskProviderDeps = Pick<Pipeline, 'clock' | 'database' | 'log' | 'providers' | 'reads' | 'states' | 'uploadEvents'>

type NotWritable = Awaited<ReturnType<ReplicaSlots['notWritable']>>

/** Requests of `whoServes` that run at the same time. */
const asksAtOnce = 8

/**
 * A provider takes pieces only after it has processed the creation itself, which may be later than the chain has it. One that does not know
 * the transaction, because its answer was lost or the fee was raised, is judged by the chain alone.
 */
export async function askWritable(deps: AskProviderDeps, dataSetId: number, signal: AbortSignal): Promise<NotWritable> {
  const { database, providers, reads } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (dataSet?.state !== 'ready' || dataSet.chainId === null)
    return { reason: 'target_writable', message: 'the new data set is not recorded as ready' }
  if (!(await reads.liveness(dataSet.chainId)).live)
    return { reason: 'target_writable', message: 'the chain does not say that the new data set takes pieces' }
  using turn = providers.turns.take(dataSet.serviceUrl, 'lookup')
  if (turn.refusal) return { reason: 'target', message: turn.refusal.message }
  const { createTx } = dataSet
  if (createTx === null) return askAlive(await turn.client.ping({ signal }))
  const status = await turn.client.creationStatus(createTx, { signal })
  if (status.kind === 'ok')
    return status.value.state === 'pending'
      ? { reason: 'target_writable', message: 'the provider has not processed the creation of the data set yet' }
      : undefined
  return status.kind === 'not_sent' && status.cause.reason === 'not_found' ? undefined : askAlive(status)
}

type Answer = Awaited<ReturnType<ReturnType<Pipeline['providers']['client']>['ping']>>

const askAlive = (answer: Pick<Exclude<Answer, { kind: 'ok' }>, 'kind' | 'cause'> | { readonly kind: 'ok' }): NotWritable =>
  answer.kind === 'ok' ? undefined : { reason: 'target', message: `the new provider does not answer: ${answer.cause.detail}` }

/** The contents among these whose final copy the provider serves. A missing piece is in doubt from then on. */
export async function whoServes(
  deps: AskProviderDeps,
  { dataSetId, contentIds }: { readonly dataSetId: number; readonly contentIds: readonly number[] },
  signal: AbortSignal,
): Promise<readonly number[]> {
  const { database, providers } = deps
  const dataSet = await findDataSet(database.read, dataSetId)
  if (!dataSet) return []
  const served: number[] = []
  const waiting = [...(await finalCopies(database.read, dataSetId, contentIds))]
  const client = providers.client(dataSet.serviceUrl)
  const ask = async () => {
    for (let copy = waiting.shift(); copy !== undefined; copy = waiting.shift()) {
      signal.throwIfAborted()
      const answer = await client.headPiece(copy.pieceCid, { signal })
      if (answer.kind === 'ok') served.push(copy.contentId)
      else if (answer.kind === 'not_sent' && answer.cause.reason === 'not_found')
        await suspectCopy(deps, { copyId: copy.copyId, result: 'missing' })
      // It says nothing about the pieces, and each further request may take as long.
      else waiting.length = 0
    }
  }
  await Promise.all(Array.from({ length: asksAtOnce }, ask))
  return served
}
