/** Puts each rail to the bucket of its data set. */
import type { PaidDataSet } from '#plugins/replication'
import type { Rail } from '../chain/rails.ts'
import type { BookedRail } from './book-store.ts'

export interface ChainBilling {
  readonly dataSetId: bigint
  readonly providerId: bigint
  readonly rails: { readonly storage: bigint; readonly cdn: readonly bigint[] }
  readonly pending: bigint
}

interface Facts {
  readonly epoch: bigint
  readonly rails: readonly Rail[]
  readonly billing: readonly ChainBilling[]
  /** By chain id of the data set. */
  readonly leaves: ReadonlyMap<bigint, bigint>
  readonly dataSets: readonly PaidDataSet[]
  /** As booked before: the data set of a rail is gone from the chain before its CDN rails are. */
  readonly earlier: ReadonlyMap<string, BookedRail>
}

export function bookRails({ epoch, rails, billing, leaves, dataSets, earlier }: Facts): readonly BookedRail[] {
  const ofRail = new Map<bigint, { readonly kind: 'storage' | 'cdn'; readonly set: ChainBilling }>()
  for (const set of billing) {
    ofRail.set(set.rails.storage, { kind: 'storage', set })
    for (const id of set.rails.cdn) ofRail.set(id, { kind: 'cdn', set })
  }
  const byChainId = new Map(dataSets.map((dataSet) => [dataSet.chainId, dataSet]))
  return rails.map((rail) => {
    const before = earlier.get(String(rail.id))
    const found = ofRail.get(rail.id)
    const chainDataSetId = found ? String(found.set.dataSetId) : (before?.chainDataSetId ?? null)
    const known = chainDataSetId === null ? undefined : byChainId.get(chainDataSetId)
    // The rows of a deleted bucket are deleted before its last rail is finished.
    const isForgotten = known === undefined && (before?.bucketId ?? null) !== null
    const kind = known || isForgotten ? (found?.kind ?? before?.kind ?? 'other') : 'other'
    return {
      railId: String(rail.id),
      kind,
      chainDataSetId,
      dataSetId: known?.id ?? before?.dataSetId ?? null,
      bucketId: known?.bucketId ?? before?.bucketId ?? null,
      bucket: known?.bucketName ?? before?.bucket ?? null,
      isDeleted: known ? known.isDeleted : isForgotten,
      providerId: found ? String(found.set.providerId) : (before?.providerId ?? null),
      rate: rail.endEpoch === 0n ? rail.rate : 0n,
      reserve: rail.lockupFixed,
      advance: advanceOf(rail, epoch),
      pending: found?.kind === 'storage' ? found.set.pending : 0n,
      leaves: found?.kind === 'storage' ? (leaves.get(found.set.dataSetId) ?? 0n) : 0n,
      endEpoch: rail.endEpoch,
    }
  })
}

/** What is locked for the epochs to come. */
function advanceOf({ rate, lockupPeriod, settledUpTo, endEpoch }: Rail, epoch: bigint): bigint {
  if (endEpoch === 0n) return rate * lockupPeriod
  const from = settledUpTo > epoch ? settledUpTo : epoch
  return endEpoch > from ? rate * (endEpoch - from) : 0n
}
