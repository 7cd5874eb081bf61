/** Rows of the payments that were followed. */
import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'

/** How far the payments of a wallet were followed. */
export interface Followed {
  readonly epoch: bigint
  /** The funds of the account at that epoch, in 10^-18 USDFC. */
  readonly funds: bigint
  /** Settled storage up to that epoch. */
  readonly storage: bigint
}

type PaymentKind = 'one_time' | 'storage' | 'unknown'

export interface MonthPayment {
  /** Empty: no log says to whom. */
  readonly railId: string
  readonly kind: PaymentKind
  readonly payments: number
  readonly amount: bigint
}

export interface FollowedMonth {
  readonly month: string
  readonly fromEpoch: bigint
  readonly toEpoch: bigint
  readonly startsWhole: boolean
  readonly hasGap: boolean
}

type OfWallet<P = Record<never, never>> = Params<P & { wallet: string }>
type OfMonth<P = Record<never, never>> = OfWallet<P & { month: string }>

const findFollowed = statement((db, { wallet }: OfWallet) =>
  db
    .selectFrom('cost_reads')
    .select(['followed_epoch as epoch', 'followed_funds as funds', 'followed_storage as storage'])
    .where('wallet', '=', wallet),
)
const keepFollowed = statement((db, { wallet, epoch, funds, storage }: OfWallet<{ epoch: string; funds: string; storage: string }>) =>
  db
    .insertInto('cost_reads')
    .values({ wallet, followed_epoch: epoch, followed_funds: funds, followed_storage: storage })
    .onConflict((row) => row.column('wallet').doUpdateSet({ followed_epoch: epoch, followed_funds: funds, followed_storage: storage })),
)

const somePayments = statement((db, { wallet, month, railIds }: OfMonth<{ railIds: readonly string[] }>) =>
  db
    .selectFrom('cost_payments')
    .select(['rail_id as railId', 'kind', 'payments', 'amount'])
    .where('wallet', '=', wallet)
    .where('month', '=', month)
    .where('rail_id', 'in', railIds),
)
const keepPayment = statement((db, row: OfMonth<{ railId: string; kind: PaymentKind; payments: number; amount: string }>) =>
  db
    .insertInto('cost_payments')
    .values({
      wallet: row.wallet,
      month: row.month,
      rail_id: row.railId,
      kind: row.kind,
      payments: row.payments,
      amount: row.amount,
    })
    .onConflict((conflict) =>
      conflict.columns(['wallet', 'month', 'rail_id', 'kind']).doUpdateSet({ payments: row.payments, amount: row.amount }),
    ),
)

const someSums = statement((db, { wallet, railIds }: OfWallet<{ railIds: readonly string[] }>) =>
  db.selectFrom('cost_sums').select(['rail_id as railId', 'kind', 'amount']).where('wallet', '=', wallet).where('rail_id', 'in', railIds),
)
const keepSum = statement((db, { wallet, railId, kind, amount }: OfWallet<{ railId: string; kind: PaymentKind; amount: string }>) =>
  db
    .insertInto('cost_sums')
    .values({ wallet, rail_id: railId, kind, amount })
    .onConflict((row) => row.columns(['wallet', 'rail_id', 'kind']).doUpdateSet({ amount })),
)
const sumsOfBucket = statement((db, { wallet, bucketId }: OfWallet<{ bucketId: number }>) =>
  db
    .selectFrom('cost_sums')
    .innerJoin('cost_rails', (join) =>
      join.onRef('cost_rails.wallet', '=', 'cost_sums.wallet').onRef('cost_rails.rail_id', '=', 'cost_sums.rail_id'),
    )
    .select(['cost_sums.kind', 'cost_sums.amount'])
    .where('cost_sums.wallet', '=', wallet)
    .where('cost_rails.bucket_id', '=', bucketId),
)

const monthColumns = [
  'month',
  'from_epoch as fromEpoch',
  'to_epoch as toEpoch',
  'starts_whole as startsWhole',
  'has_gap as hasGap',
] as const
const findMonth = statement((db, { wallet, month }: OfMonth) =>
  db.selectFrom('cost_months').select(monthColumns).where('wallet', '=', wallet).where('month', '=', month),
)
const findFirstMonth = statement((db, { wallet }: OfWallet) =>
  db.selectFrom('cost_months').select('month').where('wallet', '=', wallet).orderBy('month').limit(1),
)
const findLaterMonth = statement((db, { wallet, month }: OfMonth) =>
  db.selectFrom('cost_months').select('month').where('wallet', '=', wallet).where('month', '>', month).limit(1),
)
type MonthRow = { fromEpoch: string; toEpoch: string; startsWhole: number; hasGap: number }
const keepMonth = statement((db, row: OfMonth<MonthRow>) =>
  db
    .insertInto('cost_months')
    .values({
      wallet: row.wallet,
      month: row.month,
      from_epoch: row.fromEpoch,
      to_epoch: row.toEpoch,
      starts_whole: row.startsWhole,
      has_gap: row.hasGap,
    })
    .onConflict((conflict) => conflict.columns(['wallet', 'month']).doUpdateSet({ to_epoch: row.toEpoch, has_gap: row.hasGap })),
)

export async function findFollowedTo(read: Reader, wallet: string): Promise<Followed | undefined> {
  const row = await read.get(findFollowed, { wallet })
  if (!row || row.epoch === null || row.funds === null) return undefined
  return { epoch: BigInt(row.epoch), funds: BigInt(row.funds), storage: BigInt(row.storage ?? 0) }
}

export async function recordFollowed(tx: Tx, wallet: string, { epoch, funds, storage }: Followed): Promise<void> {
  await tx.run(keepFollowed, { wallet, epoch: String(epoch), funds: String(funds), storage: String(storage) })
}

/** Rows of one statement. */
const rowsAtOnce = 500

const keyOf = ({ railId, kind }: Pick<MonthPayment, 'railId' | 'kind'>) => `${railId} ${kind}`

/** Adds payments, one for each rail and kind, to those of the month and to the sums of all months. Only their rows are read. */
export async function addPayments(
  tx: Tx,
  { wallet, month }: { readonly wallet: string; readonly month: string },
  added: readonly MonthPayment[],
): Promise<void> {
  for (let at = 0; at < added.length; at += rowsAtOnce) {
    const page = added.slice(at, at + rowsAtOnce)
    const railIds = [...new Set(page.map(({ railId }) => railId))]
    const known = new Map((await tx.all(somePayments, { wallet, month, railIds })).map((row) => [keyOf(row), row]))
    const sums = new Map((await tx.all(someSums, { wallet, railIds })).map((row) => [keyOf(row), row.amount]))
    for (const { railId, kind, payments, amount } of page) {
      const key = keyOf({ railId, kind })
      const before = known.get(key)
      const inMonth = { payments: (before?.payments ?? 0) + payments, amount: String(BigInt(before?.amount ?? 0) + amount) }
      await tx.run(keepPayment, { wallet, month, railId, kind, ...inMonth })
      await tx.run(keepSum, { wallet, railId, kind, amount: String(BigInt(sums.get(key) ?? 0) + amount) })
    }
  }
}

/** Settled storage of all rails. */
export const sumSettled = async (read: Reader, wallet: string): Promise<bigint> => (await findFollowedTo(read, wallet))?.storage ?? 0n

/** What the chain took for a bucket since its payments are followed. */
export async function sumBucketPayments(read: Reader, wallet: string, bucketId: number) {
  const sums = { one_time: 0n, storage: 0n, unknown: 0n }
  for (const { kind, amount } of await read.all(sumsOfBucket, { wallet, bucketId })) sums[kind] += BigInt(amount)
  const since = await firstMonth(read, wallet)
  return { one_time: String(sums.one_time), storage: String(sums.storage), ...(since === undefined ? {} : { since }) }
}

export async function findFollowedMonth(read: Reader, wallet: string, month: string): Promise<FollowedMonth | undefined> {
  const row = await read.get(findMonth, { wallet, month })
  if (!row) return undefined
  const { startsWhole, hasGap } = row
  return { ...row, fromEpoch: BigInt(row.fromEpoch), toEpoch: BigInt(row.toEpoch), startsWhole: startsWhole === 1, hasGap: hasGap === 1 }
}

const firstMonth = async (read: Reader, wallet: string): Promise<string | undefined> => (await read.get(findFirstMonth, { wallet }))?.month

/** Whether payments after the month were followed, so that none of it can be added. */
export const hasLaterMonth = async (read: Reader, wallet: string, month: string): Promise<boolean> =>
  (await read.get(findLaterMonth, { wallet, month })) !== undefined

/** Extends the followed epochs of a month; its first call decides where it starts. */
export async function extendMonth(
  tx: Tx,
  wallet: string,
  { month, fromEpoch, toEpoch, startsWhole, hasGap }: FollowedMonth,
): Promise<void> {
  const before = await findFollowedMonth(tx, wallet, month)
  await tx.run(keepMonth, {
    wallet,
    month,
    fromEpoch: String(before?.fromEpoch ?? fromEpoch),
    toEpoch: String(toEpoch),
    startsWhole: Number(before?.startsWhole ?? startsWhole),
    hasGap: Number(hasGap || before?.hasGap === true),
  })
}
