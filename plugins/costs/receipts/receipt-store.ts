/** Rows of the payments that were followed. */
import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'

/** How far the payments of a wallet were followed. */
export interface Followed {
  readonly epoch: bigint
  /** Of the account at that epoch, in 10^-18 USDFC. */
  readonly funds: bigint
}

export interface MonthPayment {
  /** Empty: no log says to whom. */
  readonly railId: string
  readonly kind: 'one_time' | 'storage' | 'unknown'
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
  db.selectFrom('cost_reads').select(['followed_epoch as epoch', 'followed_funds as funds']).where('wallet', '=', wallet),
)
const keepFollowed = statement((db, { wallet, epoch, funds }: OfWallet<{ epoch: string; funds: string }>) =>
  db
    .insertInto('cost_reads')
    .values({ wallet, followed_epoch: epoch, followed_funds: funds })
    .onConflict((row) => row.column('wallet').doUpdateSet({ followed_epoch: epoch, followed_funds: funds })),
)

const listPayments = statement((db, { wallet, month }: OfMonth) =>
  db
    .selectFrom('cost_payments')
    .select(['rail_id as railId', 'kind', 'payments', 'amount'])
    .where('wallet', '=', wallet)
    .where('month', '=', month)
    .orderBy('rail_id')
    .orderBy('kind'),
)
const listAll = statement((db, { wallet }: OfWallet) =>
  db.selectFrom('cost_payments').select(['rail_id as railId', 'kind', 'payments', 'amount']).where('wallet', '=', wallet),
)
const keepPayment = statement((db, row: OfMonth<{ railId: string; kind: MonthPayment['kind']; payments: number; amount: string }>) =>
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
  return !row || row.epoch === null || row.funds === null ? undefined : { epoch: BigInt(row.epoch), funds: BigInt(row.funds) }
}

export async function recordFollowed(tx: Tx, wallet: string, { epoch, funds }: Followed): Promise<void> {
  await tx.run(keepFollowed, { wallet, epoch: String(epoch), funds: String(funds) })
}

const toPayment = ({ amount, ...row }: Omit<MonthPayment, 'amount'> & { readonly amount: string }): MonthPayment => ({
  ...row,
  amount: BigInt(amount),
})

export const paymentsOfMonth = async (read: Reader, wallet: string, month: string): Promise<readonly MonthPayment[]> =>
  (await read.all(listPayments, { wallet, month })).map(toPayment)

/** Of all months. */
export const allPayments = async (read: Reader, wallet: string): Promise<readonly MonthPayment[]> =>
  (await read.all(listAll, { wallet })).map(toPayment)

/** Adds payments to those of the month. */
export async function addPayments(
  tx: Tx,
  { wallet, month }: { readonly wallet: string; readonly month: string },
  added: readonly MonthPayment[],
): Promise<void> {
  const keyOf = ({ railId, kind }: Pick<MonthPayment, 'railId' | 'kind'>) => `${railId} ${kind}`
  const known = new Map((await paymentsOfMonth(tx, wallet, month)).map((payment) => [keyOf(payment), payment]))
  const changed = new Set<string>()
  for (const { railId, kind, payments, amount } of added) {
    const key = keyOf({ railId, kind })
    const before = known.get(key)
    known.set(key, { railId, kind, payments: (before?.payments ?? 0) + payments, amount: (before?.amount ?? 0n) + amount })
    changed.add(key)
  }
  for (const key of changed) {
    const payment = known.get(key)
    if (payment) await tx.run(keepPayment, { wallet, month, ...payment, amount: String(payment.amount) })
  }
}

export async function findFollowedMonth(read: Reader, wallet: string, month: string): Promise<FollowedMonth | undefined> {
  const row = await read.get(findMonth, { wallet, month })
  if (!row) return undefined
  const { startsWhole, hasGap } = row
  return { ...row, fromEpoch: BigInt(row.fromEpoch), toEpoch: BigInt(row.toEpoch), startsWhole: startsWhole === 1, hasGap: hasGap === 1 }
}

export const firstMonth = async (read: Reader, wallet: string): Promise<string | undefined> =>
  (await read.get(findFirstMonth, { wallet }))?.month

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
