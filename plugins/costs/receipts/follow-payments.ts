/** Follows the payments of the account in final epochs, month by month. Each range is recorded once, with the position behind it. */

import { allRails, rememberRails } from '../book/book-store.ts'
import type { BookDeps } from '../book/refresh-book.ts'
import { walletKey } from '../book/wallet-key.ts'
import type { EpochRange, RailPayment } from '../chain/payments.ts'
import { addPayments, extendMonth, type Followed, findFollowedTo, type MonthPayment, recordFollowed } from './receipt-store.ts'

type FollowDeps = Pick<BookDeps, 'database' | 'chain' | 'signer'>

/** Public nodes refuse logs of more epochs in one answer. */
const epochsPerRange = 1000n
/** Ranges of one run: about two weeks after a long stop. */
const rangesMax = 40
/** Public nodes have no logs that are older. Without them the payments of these epochs are unknown. */
const logEpochsMax = 1900n

const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

/** True: it reached the newest final epoch. @throws ChainUnreachable */
export async function followPayments(deps: FollowDeps): Promise<boolean> {
  const { database, chain, signer } = deps
  const wallet = walletKey(chain, signer)
  const final = await chain.finalizedEpoch()
  let followed = await findFollowedTo(database.read, wallet)
  followed ??= await beginFollowing(deps, wallet, final)
  for (let ranges = 0; ranges < rangesMax && followed.epoch < final; ranges++) {
    const last = followed.epoch + epochsPerRange
    const range = await withinMonth(deps, { from: followed.epoch + 1n, to: last < final ? last : final })
    followed = await followRange(deps, followed, { range, final })
  }
  return followed.epoch >= final
}

/** Starts at this epoch, unless another gateway did. */
async function beginFollowing(deps: FollowDeps, wallet: string, epoch: bigint): Promise<Followed> {
  const first = { epoch, funds: await fundsAt(deps, epoch), storage: 0n }
  return deps.database.write(async (tx) => {
    const begun = await findFollowedTo(tx, wallet)
    if (!begun) await recordFollowed(tx, wallet, first)
    return begun ?? first
  })
}

async function fundsAt({ chain, signer }: FollowDeps, epoch: bigint): Promise<bigint> {
  return (await import('../chain/payments.ts')).readFundsAt(chain, signer.address, epoch)
}

interface MonthRange extends EpochRange {
  readonly month: string
  /** It begins with the first epoch of its month. */
  readonly startsWhole: boolean
}

/** Shortens a range that ends in another month than it begins. */
async function withinMonth({ chain }: FollowDeps, { from, to }: EpochRange): Promise<MonthRange> {
  const monthAt = async (epoch: bigint) => monthOf(await chain.timeOf(epoch))
  const [before, month] = [await monthAt(from - 1n), await monthAt(from)]
  let [inside, outside] = [from, to]
  if ((await monthAt(to)) === month) inside = to
  while (outside - inside > 1n && inside !== to) {
    const middle = (inside + outside) / 2n
    if ((await monthAt(middle)) === month) inside = middle
    else outside = middle
  }
  return { from, to: inside, month, startsWhole: before !== month }
}

async function followRange(
  { database, chain, signer }: FollowDeps,
  before: Followed,
  { range, final }: { readonly range: MonthRange; readonly final: bigint },
): Promise<Followed> {
  const wallet = walletKey(chain, signer)
  const { readPayments } = await import('../chain/payments.ts')
  const railIds = (await allRails(database.read, wallet)).map(({ railId }) => BigInt(railId))
  const found = await readPayments(chain, { payer: signer.address, railIds }, range).catch((error: unknown) => {
    // Only the age of the epochs explains a refusal that lasts: the others are asked for again.
    if (final - range.to < logEpochsMax) throw error
    return undefined
  })
  const funds = found?.funds ?? before.funds
  const lost = found ? before.funds + found.deposited - found.funds : 0n
  const known = found ? sumByRail(found.payments) : []
  const unknown = lost - known.reduce((sum, { amount }) => sum + amount, 0n)
  const added = unknown > 0n ? [...known, { railId: '', kind: 'unknown' as const, payments: 1, amount: unknown }] : known
  return database.write(async (tx) => {
    // Another run or gateway was faster: its payments are recorded, and these would count twice.
    const position = await findFollowedTo(tx, wallet)
    if (position && position.epoch !== before.epoch) return position
    await rememberRails(tx, wallet, found?.created ?? [])
    await addPayments(tx, { wallet, month: range.month }, added)
    // The account got more than the logs say: some are missing.
    const hasGap = found === undefined || unknown < 0n
    await extendMonth(tx, wallet, { ...range, fromEpoch: range.from, toEpoch: range.to, hasGap })
    const settled = added.reduce((sum, { kind, amount }) => (kind === 'storage' ? sum + amount : sum), 0n)
    const after = { epoch: range.to, funds, storage: before.storage + settled }
    await recordFollowed(tx, wallet, after)
    return after
  })
}

function sumByRail(payments: readonly RailPayment[]): readonly MonthPayment[] {
  const sums = new Map<string, MonthPayment>()
  for (const { railId, kind, amount } of payments) {
    const key = `${railId} ${kind}`
    const before = sums.get(key)
    sums.set(key, { railId: String(railId), kind, payments: (before?.payments ?? 0) + 1, amount: (before?.amount ?? 0n) + amount })
  }
  return [...sums.values()]
}
