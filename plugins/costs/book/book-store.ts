/** Rows of the last read of the chain. */
import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'

/** A rail as last read. Amounts in 10^-18 USDFC. */
export interface BookedRail {
  readonly railId: string
  readonly kind: 'storage' | 'cdn' | 'other'
  readonly chainDataSetId: string | null
  readonly dataSetId: number | null
  readonly bucketId: number | null
  readonly bucket: string | null
  /** The bucket was deleted. */
  readonly isDeleted: boolean
  readonly providerId: string | null
  /** Per epoch; 0 once it ends. */
  readonly rate: bigint
  readonly reserve: bigint
  readonly advance: bigint
  /** Fees that the chain has not taken from the reserve yet. */
  readonly pending: bigint
  readonly leaves: bigint
  /** 0: it runs. */
  readonly endEpoch: bigint
}

/** The account as stored on chain at an epoch, and the prices. */
export interface BookedAccount {
  readonly epoch: bigint
  readonly funds: bigint
  readonly lockupCurrent: bigint
  readonly lockupRate: bigint
  readonly lockupLastSettledAt: bigint
  /** As JSON. */
  readonly prices: string
}

export interface BookedRead {
  readonly readAtMs: number | null
  readonly account: BookedAccount | null
  /** Why the last read failed, when no later one succeeded. */
  readonly failure: string | null
}

type OfWallet<P = Record<never, never>> = Params<P & { wallet: string }>

const findRead = statement((db, { wallet }: OfWallet) => db.selectFrom('cost_reads').selectAll().where('wallet', '=', wallet))

interface ReadRow {
  wallet: string
  readAtMs: number
  epoch: string
  funds: string
  lockupCurrent: string
  lockupRate: string
  settledAt: string
  prices: string
}
const keepRead = statement((db, row: Params<ReadRow>) =>
  db
    .insertInto('cost_reads')
    .values({
      wallet: row.wallet,
      read_at: row.readAtMs,
      epoch: row.epoch,
      funds: row.funds,
      lockup_current: row.lockupCurrent,
      lockup_rate: row.lockupRate,
      settled_at: row.settledAt,
      prices: row.prices,
      failed_at: null,
      failure: null,
    })
    .onConflict((conflict) =>
      conflict.column('wallet').doUpdateSet({
        read_at: row.readAtMs,
        epoch: row.epoch,
        funds: row.funds,
        lockup_current: row.lockupCurrent,
        lockup_rate: row.lockupRate,
        settled_at: row.settledAt,
        prices: row.prices,
        failed_at: null,
        failure: null,
      }),
    ),
)

const keepFailure = statement((db, { wallet, failure, nowMs }: OfWallet<{ failure: string; nowMs: number }>) =>
  db
    .insertInto('cost_reads')
    .values({ wallet, failed_at: nowMs, failure })
    .onConflict((conflict) => conflict.column('wallet').doUpdateSet({ failed_at: nowMs, failure })),
)

const columns = [
  'rail_id as railId',
  'kind',
  'chain_data_set_id as chainDataSetId',
  'data_set_id as dataSetId',
  'bucket_id as bucketId',
  'bucket',
  'is_deleted as isDeleted',
  'provider_id as providerId',
  'rate',
  'reserve',
  'advance',
  'pending',
  'leaves',
  'end_epoch as endEpoch',
] as const

const listRails = statement((db, { wallet }: OfWallet) =>
  db.selectFrom('cost_rails').select(columns).where('wallet', '=', wallet).where('is_open', '=', 1),
)
const listAllRails = statement((db, { wallet }: OfWallet) => db.selectFrom('cost_rails').select(columns).where('wallet', '=', wallet))
const listBucketRails = statement((db, { wallet, bucketId }: OfWallet<{ bucketId: number }>) =>
  db.selectFrom('cost_rails').select(columns).where('wallet', '=', wallet).where('bucket_id', '=', bucketId).where('is_open', '=', 1),
)
const dropRail = statement((db, { wallet, railId }: OfWallet<{ railId: string }>) =>
  db.deleteFrom('cost_rails').where('wallet', '=', wallet).where('rail_id', '=', railId),
)

type RailRow = {
  [K in keyof BookedRail]: BookedRail[K] extends bigint ? string : BookedRail[K] extends boolean ? number : BookedRail[K]
}
const addRail = statement((db, row: OfWallet<RailRow>) =>
  db.insertInto('cost_rails').values({
    wallet: row.wallet,
    rail_id: row.railId,
    kind: row.kind,
    chain_data_set_id: row.chainDataSetId,
    data_set_id: row.dataSetId,
    bucket_id: row.bucketId,
    bucket: row.bucket,
    is_deleted: row.isDeleted,
    provider_id: row.providerId,
    rate: row.rate,
    reserve: row.reserve,
    advance: row.advance,
    pending: row.pending,
    leaves: row.leaves,
    end_epoch: row.endEpoch,
    is_open: 1,
  }),
)
const addUnknown = statement((db, { wallet, railId }: OfWallet<{ railId: string }>) =>
  db
    .insertInto('cost_rails')
    .values({
      wallet,
      rail_id: railId,
      kind: 'other',
      is_deleted: 0,
      rate: '0',
      reserve: '0',
      advance: '0',
      pending: '0',
      leaves: '0',
      end_epoch: '0',
      is_open: 0,
    })
    .onConflict((row) => row.columns(['wallet', 'rail_id']).doNothing()),
)
const closeRail = statement((db, { wallet, railId }: OfWallet<{ railId: string }>) =>
  db
    .updateTable('cost_rails')
    .set({ is_open: 0, rate: '0', reserve: '0', advance: '0', pending: '0', leaves: '0' })
    .where('wallet', '=', wallet)
    .where('rail_id', '=', railId),
)

const toRail = (row: RailRow): BookedRail => ({
  ...row,
  isDeleted: row.isDeleted === 1,
  rate: BigInt(row.rate),
  reserve: BigInt(row.reserve),
  advance: BigInt(row.advance),
  pending: BigInt(row.pending),
  leaves: BigInt(row.leaves),
  endEpoch: BigInt(row.endEpoch),
})

const toRow = (rail: BookedRail): RailRow => ({
  ...rail,
  isDeleted: Number(rail.isDeleted),
  rate: String(rail.rate),
  reserve: String(rail.reserve),
  advance: String(rail.advance),
  pending: String(rail.pending),
  leaves: String(rail.leaves),
  endEpoch: String(rail.endEpoch),
})

export async function findBookedRead(read: Reader, wallet: string): Promise<BookedRead> {
  const row = await read.get(findRead, { wallet })
  if (!row || row.read_at === null) return { readAtMs: null, account: null, failure: row?.failure ?? null }
  const amount = (text: string | null) => BigInt(text ?? 0)
  return {
    readAtMs: row.read_at,
    failure: row.failure,
    account: {
      epoch: amount(row.epoch),
      funds: amount(row.funds),
      lockupCurrent: amount(row.lockup_current),
      lockupRate: amount(row.lockup_rate),
      lockupLastSettledAt: amount(row.settled_at),
      prices: row.prices ?? '{}',
    },
  }
}

export const openRails = async (read: Reader, wallet: string): Promise<readonly BookedRail[]> =>
  (await read.all(listRails, { wallet })).map(toRail)

/** Also finished ones. */
export const allRails = async (read: Reader, wallet: string): Promise<readonly BookedRail[]> =>
  (await read.all(listAllRails, { wallet })).map(toRail)

export const railsOfBucket = async (read: Reader, wallet: string, bucketId: number): Promise<readonly BookedRail[]> =>
  (await read.all(listBucketRails, { wallet, bucketId })).map(toRail)

export async function recordFailure(tx: Tx, wallet: string, why: { readonly failure: string; readonly nowMs: number }): Promise<void> {
  await tx.run(keepFailure, { wallet, ...why })
}

/** Rails that may be finished before the next read. */
export async function rememberRails(tx: Tx, wallet: string, railIds: readonly bigint[]): Promise<void> {
  for (const railId of railIds) await tx.run(addUnknown, { wallet, railId: String(railId) })
}

/** Makes these the open rails; unchanged rows are not written, and those that are gone stay for receipts. */
export async function recordBook(
  tx: Tx,
  wallet: string,
  { account, rails, nowMs }: { readonly account: BookedAccount; readonly rails: readonly BookedRail[]; readonly nowMs: number },
): Promise<void> {
  const known = new Map((await tx.all(listRails, { wallet })).map((row) => [row.railId, JSON.stringify(row)]))
  for (const row of rails.map(toRow)) {
    const isSame = known.get(row.railId) === JSON.stringify(row)
    known.delete(row.railId)
    if (isSame) continue
    await tx.run(dropRail, { wallet, railId: row.railId })
    await tx.run(addRail, { wallet, ...row })
  }
  for (const railId of known.keys()) await tx.run(closeRail, { wallet, railId })
  const { epoch, funds, lockupCurrent, lockupRate, lockupLastSettledAt, prices } = account
  await tx.run(keepRead, {
    wallet,
    readAtMs: nowMs,
    epoch: String(epoch),
    funds: String(funds),
    lockupCurrent: String(lockupCurrent),
    lockupRate: String(lockupRate),
    settledAt: String(lockupLastSettledAt),
    prices,
  })
}
