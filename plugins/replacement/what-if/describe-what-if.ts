import { type Clock, formatTime, within } from '#kernel'
import type { Providers } from '#plugins/providers'
import type { BucketDependence, DependentCount, ProviderDependence, ProviderDependences } from '#plugins/replication'
import { type ChainSettings, costPolicy, type Funds } from '#plugins/wallet'
import { replacementErrors } from '../errors.ts'
import { healCost, healedBytes, healSeconds, medianRate } from './heal-policy.ts'
import { shownBucketsMax, type WhatIf } from './what-if-api.ts'

interface WhatIfDeps {
  readonly clock: Clock
  readonly dependences: ProviderDependences
  readonly providers: Pick<Providers, 'inventory' | 'scoreOf' | 'nameOf'>
  readonly funds: Pick<Funds, 'view'>
  readonly settings: Pick<ChainSettings, 'with_cdn'>
}

/** A node that answers later does not delay the answer, which then has no cost. */
const viewMs = 5000

export async function describeWhatIf(deps: WhatIfDeps, providerId: string): Promise<WhatIf> {
  const { providers } = deps
  const inventory = (await providers.inventory()).providers
  const dependence = await deps.dependences.of(providerId)
  if (dependence.buckets.length === 0 && !inventory.some((provider) => provider.providerId === providerId))
    throw replacementErrors.what_if_provider_unknown()
  const others = inventory.filter((provider) => provider.providerId !== providerId && provider.isActive && provider.isApproved)
  const rate = medianRate(others.map((provider) => providers.scoreOf(provider)))
  const { buckets, total } = dependence
  const name = providers.nameOf(providerId)
  const largest = buckets.toSorted((a, b) => Number(b.all.bytes > a.all.bytes) - Number(b.all.bytes < a.all.bytes))
  return {
    provider_id: providerId,
    ...(name === undefined ? {} : { provider_name: name }),
    counted_at: formatTime(dependence.countedAtMs),
    ...describeCounts(total),
    heal: {
      data_sets: buckets.filter(({ pieces }) => pieces > 0).length,
      pieces: total.pieces,
      bytes: String(healedBytes(total)),
      seconds: healSeconds(healedBytes(total), rate),
      bytes_per_second: rate.bytesPerSecond === undefined ? null : Math.round(rate.bytesPerSecond),
      measured_providers: rate.providers,
      cost: await describeCost(deps, buckets),
    },
    buckets: largest.slice(0, shownBucketsMax).map(({ bucketId, bucketName, dataSetId, slot, ...counts }) => ({
      bucket_id: bucketId,
      bucket: bucketName,
      data_set_id: dataSetId,
      copy_index: slot,
      ...describeCounts(counts),
    })),
    other_buckets: Math.max(0, buckets.length - shownBucketsMax),
  }
}

const describeCount = ({ bytes, ...count }: DependentCount) => ({ ...count, bytes: String(bytes) })

const describeCounts = ({ all, belowTarget, belowMinimum, noOtherCopy, lost }: ProviderDependence['total']) => ({
  stored: describeCount(all),
  below_target: describeCount(belowTarget),
  below_minimum: describeCount(belowMinimum),
  no_other_copy: describeCount(noOtherCopy),
  lost: describeCount(lost),
})

async function describeCost({ clock, funds, settings }: WhatIfDeps, buckets: readonly BucketDependence[]): Promise<WhatIf['heal']['cost']> {
  const view = await within(viewMs, funds.view(), () => undefined, clock)
  if (!view) return null
  const policy = await costPolicy()
  const { fees, feeMax, lockup, rateIncreasePerEpoch: rate, depositNeeded } = healCost(buckets, { view, hasCdn: settings.with_cdn }, policy)
  return {
    price_fingerprint: policy.namePrices(view.prices).fingerprint,
    fee: String(fees),
    fee_max: String(feeMax),
    lock: String(lockup),
    rate: { per_epoch: String(rate), per_day: String(rate * policy.epochsPerDay), per_month: String(rate * policy.epochsPerMonth) },
    deposit_needed: String(depositNeeded),
  }
}
