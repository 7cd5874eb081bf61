/** Answers from the last read of the chain, without asking it. */
import { singleFlight } from '#kernel'
import { type CostPolicy, costPolicy, type PriceList, type SettledAccount } from '#plugins/wallet'
import { followPayments } from '../receipts/follow-payments.ts'
import { type BookedRail, type BookedRead, findBookedRead, openRails, railsOfBucket } from './book-store.ts'
import { type BookDeps, refreshBook } from './refresh-book.ts'
import { walletKey } from './wallet-key.ts'

export interface KnownAccount {
  /** Settled to the epoch of the read. */
  readonly account: SettledAccount
  readonly prices: PriceList
  readonly fingerprint: string
  /** Whole seconds from now; null without running costs. */
  readonly runwaySeconds: number | null
}

export interface Book {
  readonly read: BookedRead
  /** Undefined before the first read. */
  readonly known: KnownAccount | undefined
}

export interface CostBook {
  /** Names the rows of the wallet. */
  readonly wallet: string
  readonly policy: () => Promise<CostPolicy>
  book(): Promise<Book>
  rails(): Promise<readonly BookedRail[]>
  railsOf(bucketId: number): Promise<readonly BookedRail[]>
  /** Reads the chain, unless that was done a short time ago. Rejects with the errors of the chain client. */
  refresh(options?: { readonly isForced?: boolean }): Promise<void>
  /** Follows the payments. True: up to the newest final epoch. */
  follow(): Promise<boolean>
}

/** Between two reads: a minute, and a tenth of a second for each rail, so that a large wallet does not occupy its node. */
const restMs = 60_000
const restPerRailMs = 100

export function createCostBook(deps: BookDeps): CostBook {
  const { database, chain, signer, clock } = deps
  const wallet = walletKey(chain, signer)
  const refresh = singleFlight(() => refreshBook(deps))
  const rails = () => openRails(database.read, wallet)
  return {
    wallet,
    policy: costPolicy,
    rails,
    railsOf: (bucketId) => railsOfBucket(database.read, wallet, bucketId),
    async book() {
      const [read, policy] = await Promise.all([findBookedRead(database.read, wallet), costPolicy()])
      return {
        read,
        known: read.account ? knownAt(read, policy, { nowMs: clock.now(), epochSeconds: chain.network.epochSeconds }) : undefined,
      }
    },
    async refresh({ isForced = false } = {}) {
      const { readAtMs, failure } = await findBookedRead(database.read, wallet)
      const restsMs = restMs + restPerRailMs * (await rails()).length
      const isRecent = readAtMs !== null && failure === null && Math.abs(clock.now() - readAtMs) < restsMs
      if (isForced || !isRecent) await refresh()
    },
    follow: singleFlight(() => followPayments(deps)),
  }
}

function knownAt(
  { account, readAtMs }: BookedRead,
  policy: CostPolicy,
  { nowMs, epochSeconds }: { readonly nowMs: number; readonly epochSeconds: number },
): KnownAccount | undefined {
  if (!account || readAtMs === null) return undefined
  const settled = policy.settleAccount(account, account.epoch)
  const prices = policy.parsePrices(account.prices)
  const seconds = policy.runwaySeconds(settled.runwayEpochs, epochSeconds)
  const elapsed = Math.max(0, Math.floor((nowMs - readAtMs) / 1000))
  return {
    account: settled,
    prices,
    fingerprint: policy.namePrices(prices).fingerprint,
    runwaySeconds: seconds === null ? null : Math.max(0, seconds - elapsed),
  }
}
