import { within } from '#kernel'
import type { Bucket } from '#plugins/storage'
import { costPolicy } from '#plugins/wallet'
import type { PaidWork } from '../contract.ts'
import type { Pipeline } from '../pipeline.ts'
import { currentSets, type TargetGroup } from './below-target-store.ts'
import { describeRaise } from './describe-raise.ts'
import { additionsOf, estimateRaise } from './estimate-raise-policy.ts'
import type { RaisePreview } from './raise-api.ts'
import { newestRaise } from './raise-store.ts'

type PreviewDeps = Pick<Pipeline, 'clock' | 'database' | 'funds' | 'settings'> & { readonly paidWork: Pick<PaidWork, 'whyLimited'> }

/** A node that answers later does not delay the preview, which then has no cost. */
const viewMs = 5000

/** Says what a raise would add, and what that costs with the prices of the moment. */
export async function previewRaise(
  deps: PreviewDeps,
  { id, name, defaultCopies: copies }: Pick<Bucket, 'id' | 'name' | 'defaultCopies'>,
  groups: readonly TargetGroup[],
): Promise<RaisePreview> {
  const { read } = deps.database
  const newest = await newestRaise(read, id)
  return {
    bucket: name,
    target_copies: copies,
    contents: groups.reduce((sum, { contents }) => sum + contents, 0),
    copies: groups.reduce((sum, { contents, targetCopies }) => sum + contents * (copies - targetCopies), 0),
    bytes: String(groups.reduce((sum, { bytes, targetCopies }) => sum + bytes * BigInt(copies - targetCopies), 0n)),
    cost: await readCost(deps, { bucketId: id, copies, groups }),
    raise: newest ? await describeRaise(read, name, newest) : null,
  }
}

async function readCost(
  { clock, database, funds, settings, paidWork }: PreviewDeps,
  { bucketId, copies, groups }: { readonly bucketId: number; readonly copies: number; readonly groups: readonly TargetGroup[] },
): Promise<RaisePreview['cost']> {
  const view = await within(viewMs, funds.view(), () => undefined, clock)
  if (!view) return null
  const policy = await costPolicy()
  const sets = await currentSets(database.read, bucketId)
  const additions = additionsOf(groups, { copies, sets, hasCdn: settings.with_cdn }, policy)
  const { fee, feeMax, lock, ratePerEpoch, depositNeeded } = estimateRaise(additions, view, policy)
  const waitsFor =
    depositNeeded > 0n
      ? `the payment account lacks ${policy.formatUsdfc(policy.roundUpUsdfc(depositNeeded))} USDFC; run \`svc wallet deposit\``
      : additions.length > 0
        ? await paidWork.whyLimited({ fees: fee, ratePerEpoch })
        : undefined
  return {
    price_fingerprint: policy.namePrices(view.prices).fingerprint,
    fee: String(fee),
    fee_max: String(feeMax),
    lock: String(lock),
    rate: {
      per_epoch: String(ratePerEpoch),
      per_day: String(ratePerEpoch * policy.epochsPerDay),
      per_month: String(ratePerEpoch * policy.epochsPerMonth),
    },
    deposit_needed: String(depositNeeded),
    ...(waitsFor === undefined ? {} : { waits_for: waitsFor }),
  }
}
