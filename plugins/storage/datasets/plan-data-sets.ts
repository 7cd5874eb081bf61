import { defineProbe } from '#kernel'
import { newNonce } from '../chain/typed-data.ts'
import { copiesOf, statesWithBytes } from '../copies/copy-store.ts'
import type { Pipeline } from '../pipeline.ts'
import { currentDataSets, type DataSet, planDataSet, setPieceBytesMax } from './data-set-store.ts'
import { countLoad, usedProviders } from './load-store.ts'
import { selectProviders } from './select-provider-policy.ts'

const planned = defineProbe('storage.dataset.planned')

/** A bucket has replica slots 0 to 7. */
const slotsMax = 8

export interface Placement {
  readonly contentId: number
  readonly bucketId: number
  readonly targetCopies: number
  /** Bytes of the piece. */
  readonly size: number
}

/**
 * The current generation of each of the bucket's replica slots whose provider takes a piece of this size, or has the content's. Slots
 * that are missing for the target are planned as far as there are providers; a slot whose provider takes smaller pieces only stays and
 * another is planned beside it. Nothing is paid here: creation is a task of its own.
 */
export async function planDataSets(doors: Pipeline, { contentId, bucketId, targetCopies, size }: Placement): Promise<readonly DataSet[]> {
  const current = currentDataSets(doors.database.read, bucketId)
  // What a provider has it keeps, also when it takes smaller pieces only from then on: such a copy needs no other slot.
  const holding = new Set(
    copiesOf(doors.database.read, contentId).flatMap(({ state, dataSetId }) =>
      statesWithBytes.has(state) || state === 'transferring' ? [dataSetId] : [],
    ),
  )
  const fits = ({ id, pieceBytesMax }: DataSet) => pieceBytesMax >= size || holding.has(id)
  const fitting = current.filter(fits)
  if (fitting.length >= targetCopies) return fitting
  const available = await doors.providers.listAvailable()
  const registered = new Map(available.map(({ providerId, pieceBytesMax }) => [providerId, pieceBytesMax]))
  // A provider may have raised its maximum since its slot was planned.
  const fittingNow = current
    .map((dataSet) => ({ ...dataSet, pieceBytesMax: registered.get(dataSet.providerId) ?? dataSet.pieceBytesMax }))
    .filter(fits)
  const missing = Array.from({ length: slotsMax }, (_, slot) => slot)
    .filter((slot) => !current.some((dataSet) => dataSet.slot === slot))
    .slice(0, Math.max(0, targetCopies - fittingNow.length))
  const load = countLoad(doors.database.read)
  const used = usedProviders(doors.database.read, bucketId)
  const chosen = selectProviders(
    available.map((provider) => ({ ...provider, load: load.get(provider.providerId) ?? 0 })),
    { count: missing.length, used, pieceBytes: size },
  )
  const nowMs = doors.clock.now()
  await doors.database.write((tx) => {
    for (const provider of available) setPieceBytesMax(tx, bucketId, provider)
    for (const [index, provider] of chosen.entries()) {
      const slot = missing[index] as number
      const id = planDataSet(
        tx,
        {
          bucketId,
          slot,
          providerId: provider.providerId,
          providerAddress: provider.address,
          payee: provider.payee,
          serviceUrl: provider.serviceUrl,
          clientDataSetId: newNonce(),
          pieceBytesMax: provider.pieceBytesMax,
        },
        nowMs,
      )
      // Undefined: another content of the bucket planned the slot meanwhile, and its choice stands.
      if (id !== undefined) doors.schedule.ensure(tx, id)
    }
  })
  await planned()
  return currentDataSets(doors.database.read, bucketId).filter(fits)
}
