/** Reads account, prices and rails of the wallet at one epoch, so that their sums agree. */
import { type Clock, type Database, within } from '#kernel'
import type { WarmStorageReads } from '#plugins/providers'
import type { PaidWork } from '#plugins/replication'
import { type Chain, costPolicy, type Funds, type Signer } from '#plugins/wallet'
import { bookRails } from './book-rails-policy.ts'
import { allRails, recordBook, recordFailure } from './book-store.ts'
import { walletKey } from './wallet-key.ts'

export interface BookDeps {
  readonly database: Database
  readonly chain: Chain
  readonly signer: Signer
  readonly funds: Pick<Funds, 'view' | 'at'>
  readonly reads: Pick<WarmStorageReads, 'billingOf' | 'leafCount'>
  readonly paidWork: Pick<PaidWork, 'dataSets'>
  readonly clock: Clock
}

/** Of all reads of one refresh. */
const refreshMs = 120_000
/** Leaf counts that are asked at the same time; the chain client combines them. */
const leavesAtOnce = 500

/** Records what the chain says; rejects with the errors of the chain client, after it recorded the failure. */
export async function refreshBook(deps: BookDeps): Promise<void> {
  const { database, clock, signer, chain } = deps
  const wallet = walletKey(chain, signer)
  const { troubleOf } = await import('../chain/payments.ts')
  try {
    const facts = await within(refreshMs, readChain(deps), () => 'timeout' as const, clock)
    if (facts === 'timeout' || facts === 'contract refused') {
      await database.write((tx) => recordFailure(tx, wallet, { failure: facts, nowMs: clock.now() }))
      return
    }
    const earlier = new Map((await allRails(database.read, wallet)).map((rail) => [rail.railId, rail]))
    const rails = bookRails({ ...facts, earlier, dataSets: await deps.paidWork.dataSets() })
    await database.write((tx) => recordBook(tx, wallet, { account: facts.account, rails, nowMs: clock.now() }))
  } catch (error) {
    await database.write((tx) => recordFailure(tx, wallet, { failure: troubleOf(error), nowMs: clock.now() }))
    throw error
  }
}

async function readChain({ chain, signer, funds, reads }: BookDeps) {
  // Undefined also when the contracts have an unknown version, whose answers could be misread.
  const [view, epoch] = await Promise.all([funds.view(), chain.finalEpoch()])
  if (!view) return 'contract refused' as const
  const [{ namePrices }, { readRails }] = await Promise.all([costPolicy(), import('../chain/rails.ts')])
  const [{ account, prices }, rails, billing] = await Promise.all([
    funds.at(epoch),
    readRails(chain, signer.address, epoch),
    reads.billingOf(signer.address, epoch),
  ])
  const leaves = new Map<bigint, bigint>()
  for (let at = 0; at < billing.length; at += leavesAtOnce) {
    const ids = billing.slice(at, at + leavesAtOnce).map(({ dataSetId }) => dataSetId)
    const counts = await Promise.all(ids.map((id) => reads.leafCount(id, epoch)))
    for (const [index, id] of ids.entries()) leaves.set(id, counts[index] ?? 0n)
  }
  const { funds: held, lockupCurrent, lockupRate, lockupLastSettledAt } = account
  return {
    epoch,
    rails,
    billing,
    leaves,
    account: { epoch, funds: held, lockupCurrent, lockupRate, lockupLastSettledAt, prices: namePrices(prices).list },
  }
}
