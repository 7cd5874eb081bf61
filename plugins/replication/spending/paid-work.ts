import type { Database } from '#kernel'
import { costPolicy } from '#plugins/wallet'
import type { PaidWork } from '../contract.ts'
import { addedSince, callsOfBucket, dataSetsOnChain, recordedPrices } from './paid-calls-store.ts'
import { whyAboveLimit } from './spend-limit-policy.ts'
import { feesOf, type SpendLimitDeps, usesOf } from './spend-limits.ts'

export function createPaidWork({
  database,
  ...deps
}: SpendLimitDeps & { readonly database: Pick<Database, 'read' | 'snapshot'> }): PaidWork {
  const limits = async () => {
    const [policy, view] = await Promise.all([costPolicy(), deps.funds.view(), deps.calls.closeDays()])
    return database.snapshot((read) => usesOf(deps, read, { view, policy }))
  }
  return {
    async fees(bucketId) {
      const [policy] = await Promise.all([costPolicy(), deps.calls.closeDays()])
      return database.snapshot(async (read) => {
        const calls = bucketId === undefined ? await deps.calls.since(read, 0) : await callsOfBucket(read, bucketId)
        const landed = calls.filter(({ hasLanded }) => hasLanded)
        return feesOf(landed, await recordedPrices(read), policy)
      })
    },
    addedSince: (sinceMs) => addedSince(database.read, sinceMs),
    limits,
    whyLimited: async (planned) => whyAboveLimit(await limits(), planned, await costPolicy()),
    dataSets: (read = database.read) => dataSetsOnChain(read),
  }
}
