import { defineProbe } from '#kernel'
import { newNonce } from '../../chain/typed-data.ts'
import { chooseProviders } from '../../datasets/choose-providers.ts'
import { currentDataSets, type DataSet, planDataSet, setPieceBytesMax } from '../../datasets/data-set-store.ts'
import type { Pipeline } from '../../pipeline.ts'
import { statesWithBytes } from '../../states/tables/copy-transitions-policy.ts'
import { copiesOf } from '../records/copy-store.ts'

type PlanDataSetsDeps = Pick<Pipeline, 'database' | 'providers' | 'states'>

const planned = defineProbe('storage.dataset.planned')

/** Replica slots 0 to 7 of a bucket. */
const slotsMax = 8

interface Placement {
  readonly contentId: number
  readonly bucketId: number
  readonly targetCopies: number
  /** Piece size in bytes. */
  readonly size: number
}

/**
 * The current generation of each of the bucket's replica slots whose provider takes a piece of this size, or has this piece. Plans slots
 * missing for the target, as far as providers are available; a slot with a smaller maximum is kept and another one planned. Pays nothing:
 * the creation is a separate task.
 */
export async function planDataSets(
  deps: PlanDataSetsDeps,
  { contentId, bucketId, targetCopies, size }: Placement,
): Promise<readonly DataSet[]> {
  const current = await currentDataSets(deps.database.read, bucketId)
  if (current.length >= targetCopies && current.every(({ pieceBytesMax }) => pieceBytesMax >= size)) return current
  // A provider that lowers its maximum keeps its pieces: such a copy needs no other slot.
  const holding = new Set(
    (await copiesOf(deps.database.read, contentId)).flatMap(({ state, dataSetId }) =>
      statesWithBytes.has(state) || state === 'transferring' ? [dataSetId] : [],
    ),
  )
  const fits = ({ id, pieceBytesMax }: DataSet) => pieceBytesMax >= size || holding.has(id)
  const fitting = current.filter(fits)
  if (fitting.length >= targetCopies) return fitting
  const available = await deps.providers.listAvailable()
  const registered = new Map(available.map(({ providerId, pieceBytesMax }) => [providerId, pieceBytesMax]))
  // A provider may have raised its maximum since its slot was planned.
  const fittingNow = current
    .map((dataSet) => ({ ...dataSet, pieceBytesMax: registered.get(dataSet.providerId) ?? dataSet.pieceBytesMax }))
    .filter(fits)
  const missing = Array.from({ length: slotsMax }, (_, slot) => slot)
    .filter((slot) => !current.some((dataSet) => dataSet.slot === slot))
    .slice(0, Math.max(0, targetCopies - fittingNow.length))
  const chosen = await chooseProviders(deps.database.read, available, { bucketId, count: missing.length, pieceBytes: size })
  const changed = available.filter(({ providerId, pieceBytesMax }) =>
    current.some((dataSet) => dataSet.providerId === providerId && dataSet.pieceBytesMax !== pieceBytesMax),
  )
  await deps.database.write(async (tx) => {
    for (const provider of changed) await setPieceBytesMax(tx, bucketId, provider)
    for (const [index, provider] of chosen.entries()) {
      const slot = missing[index] as number
      // Changes nothing when another task planned the slot since it was found missing.
      await planDataSet(deps.states, tx, {
        bucketId,
        slot,
        providerId: provider.providerId,
        providerAddress: provider.address,
        payee: provider.payee,
        serviceUrl: provider.serviceUrl,
        clientDataSetId: newNonce(),
        pieceBytesMax: provider.pieceBytesMax,
        chosenBecause: provider.chosenBecause,
      })
    }
  })
  await planned()
  return (await currentDataSets(deps.database.read, bucketId)).filter(fits)
}
