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
  /** The keys are chain ids of data sets. */
  readonly leaves: ReadonlyMap<bigint, bigint>
  readonly dataSets: readonly PaidDataSet[]
  /** Rails as booked before: the data set of a rail is gone from the chain before its CDN rails are. */
  readonly earlier: ReadonlyMap<string, BookedRail>
}

export function bookRails({ epoch, rails, billing, leaves, dataSets, earlier }: Facts): readonly BookedRail[] {
  const ofRail = new Map<bigint, NonNullable<Found>>()
  for (const set of billing) {
    ofRail.set(set.rails.storage, { kind: 'storage', set })
    for (const id of set.rails.cdn) ofRail.set(id, { kind: 'cdn', set })
  }
  const byChainId = new Map(dataSets.map((dataSet) => [dataSet.chainId, dataSet]))
  return rails.map((rail) => {
    const found = ofRail.get(rail.id)
    const isStorage = found?.kind === 'storage'
    return {
      railId: String(rail.id),
      ...placeOf(found, byChainId, earlier.get(String(rail.id))),
      rate: rail.endEpoch === 0n ? rail.rate : 0n,
      reserve: rail.lockupFixed,
      advance: advanceOf(rail, epoch),
      pending: isStorage ? found.set.pending : 0n,
      leaves: isStorage ? (leaves.get(found.set.dataSetId) ?? 0n) : 0n,
      endEpoch: rail.endEpoch,
    }
  })
}

type Found = { readonly kind: 'storage' | 'cdn'; readonly set: ChainBilling } | undefined
type Place = Pick<BookedRail, 'kind' | 'chainDataSetId' | 'dataSetId' | 'bucketId' | 'bucket' | 'isDeleted' | 'providerId'>

const nowhere: Place = {
  kind: 'other',
  chainDataSetId: null,
  dataSetId: null,
  bucketId: null,
  bucket: null,
  isDeleted: false,
  providerId: null,
}

function placeOf(found: Found, dataSets: ReadonlyMap<string, PaidDataSet>, before: Place = nowhere): Place {
  const onChain = found ? { chainDataSetId: String(found.set.dataSetId), providerId: String(found.set.providerId) } : {}
  const place = { ...before, ...onChain }
  const known = place.chainDataSetId === null ? undefined : dataSets.get(place.chainDataSetId)
  const kind = found?.kind ?? before.kind
  if (known) {
    const { id: dataSetId, bucketId, bucketName, isDeleted } = known
    // A deleted bucket has lost its name, which receipts keep.
    const bucket = isDeleted ? (before.bucket ?? bucketName) : bucketName
    return { ...place, kind, dataSetId, bucketId, bucket, isDeleted }
  }
  // The rows of a deleted bucket are deleted before its last rail is finished.
  return before.bucketId === null ? { ...place, kind: 'other' } : { ...place, kind, isDeleted: true }
}

/** What is locked for the epochs to come. */
function advanceOf({ rate, lockupPeriod, settledUpTo, endEpoch }: Rail, epoch: bigint): bigint {
  if (endEpoch === 0n) return rate * lockupPeriod
  const from = settledUpTo > epoch ? settledUpTo : epoch
  return endEpoch > from ? rate * (endEpoch - from) : 0n
}
