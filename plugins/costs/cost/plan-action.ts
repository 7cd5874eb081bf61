/** Finds what an action would add to which data sets. */
import { pieceBytesMax } from '#plugins/providers'
import type { PaidWork, Placements } from '#plugins/replication'
import type { Bucket, Buckets } from '#plugins/storage'
import type { ChainSettings, CostPolicy, PriceList } from '#plugins/wallet'
import type { CostBook } from '../book/cost-book.ts'
import { costErrors } from '../errors.ts'
import type { EstimateRequest } from './cost-api.ts'
import { estimatedPiecesMax, noPlan, type Plan, piecesOfObjects, type TargetSet } from './estimate-policy.ts'
import { sumRails } from './sum-costs-policy.ts'

export interface PlanDeps {
  readonly book: CostBook
  readonly buckets: Pick<Buckets, 'require'>
  readonly placements: Pick<Placements, 'dataSetsOf'>
  readonly paidWork: Pick<PaidWork, 'dataSets'>
  readonly settings: Pick<ChainSettings, 'default_copies'>
}

/** The smallest object: the rate of a data set begins with its first piece. */
const firstObject = { objects: 1, bytes: 1, pieceBytesMax }

export async function planAction(deps: PlanDeps, request: EstimateRequest, prices: PriceList): Promise<Plan> {
  const policy = await deps.book.policy()
  const { kind } = request
  switch (request.kind) {
    case 'new_bucket':
      return { ...noPlan, kind, ...piecesOfObjects(firstObject, policy), targets: newSets(request.copies ?? deps.settings.default_copies) }
    case 'raise_target': {
      const added = request.copies - deps.buckets.require(request.bucket).defaultCopies
      return { ...noPlan, kind, ...piecesOfObjects(firstObject, policy), targets: newSets(Math.max(0, added)) }
    }
    case 'upload':
      return planUpload(deps, request, policy)
    case 'replacement':
      return planReplacement(deps, request.data_set_id, { prices, policy })
    case 'fund':
      return { ...noPlan, kind, deposit: BigInt(request.amount) }
    case 'withdraw':
      return { ...noPlan, kind, deposit: -BigInt(request.amount) }
    default:
      return { ...noPlan, kind }
  }
}

const newSets = (count: number): readonly TargetSet[] => Array.from({ length: count }, () => ({ leaves: undefined }))

async function planUpload(
  deps: PlanDeps,
  { bucket: name, objects, bytes }: Extract<EstimateRequest, { kind: 'upload' }>,
  policy: CostPolicy,
): Promise<Plan> {
  const bucket = deps.buckets.require(name)
  const targets = await currentSets(deps, bucket)
  const added = piecesOfObjects({ objects, bytes, pieceBytesMax }, policy)
  if (added.pieces * BigInt(targets.length) > estimatedPiecesMax) throw costErrors.estimate_out_of_range()
  return { ...noPlan, kind: 'upload', ...added, targets }
}

/** The data sets that get the copies of a new object. */
async function currentSets({ book, placements }: PlanDeps, bucket: Bucket): Promise<readonly TargetSet[]> {
  const [records, rails] = await Promise.all([placements.dataSetsOf([bucket.id]), book.railsOf(bucket.id)])
  const leaves = new Map(rails.filter(({ kind }) => kind === 'storage').map((rail) => [rail.dataSetId, rail.leaves]))
  const current = records.filter(({ isCurrent, dataSetId }) => isCurrent && dataSetId !== null).slice(0, bucket.defaultCopies)
  return [...current.map(({ id }) => ({ leaves: leaves.get(id) ?? 0n })), ...newSets(bucket.defaultCopies - current.length)]
}

/** Both data sets are paid until the old one has ended. */
async function planReplacement(
  { book, placements, paidWork }: PlanDeps,
  id: number,
  { prices, policy }: { readonly prices: PriceList; readonly policy: CostPolicy },
): Promise<Plan> {
  const found = (await paidWork.dataSets()).find((dataSet) => dataSet.id === id)
  if (!found || found.isDeleted) throw costErrors.data_set_not_found()
  const record = (await placements.dataSetsOf([found.bucketId])).find((dataSet) => dataSet.id === id)
  const rails = (await book.railsOf(found.bucketId)).filter(({ dataSetId }) => dataSetId === id)
  const rail = rails.find(({ kind }) => kind === 'storage')
  return {
    ...noPlan,
    kind: 'replacement',
    targets: newSets(1),
    pieces: BigInt(record?.committedCopies ?? 0),
    leaves: rail?.leaves ?? policy.leavesOf(BigInt(record?.physicalBytes ?? 0)),
    fees: prices.terminateFee,
    replaced: sumRails(rails),
  }
}
