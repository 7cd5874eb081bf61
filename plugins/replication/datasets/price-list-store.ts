import type { Params, Tx } from '#kernel'
import type { Spending } from '#plugins/wallet'
import type { Pipeline } from '../pipeline.ts'
import { openSpendCheck } from '../spending/spend-limits.ts'
import { statement } from '../tables.ts'

const keep = statement((db, { fingerprint, list, nowMs }: Params<{ fingerprint: string; list: string; nowMs: number }>) =>
  db
    .insertInto('price_lists')
    .values({ fingerprint, prices: list, seen_at: nowMs })
    .onConflict((row) => row.column('fingerprint').doNothing()),
)

const lock = statement((db, { fingerprint }: Params<{ fingerprint: string }>) =>
  db.selectFrom('price_lists').select('fingerprint').where('fingerprint', '=', fingerprint).forUpdate(),
)

/**
 * Runs a transaction that decides to pay, with the price list of the moment: `job` records its fingerprint with the attempt. It is null
 * while the prices cannot be read.
 */
export async function writePriced<R>(
  { funds, database, clock }: Pick<Pipeline, 'funds' | 'database' | 'clock'>,
  job: (tx: Tx, priceList: string | null) => Promise<R>,
): Promise<R> {
  const prices = await funds.prices()
  return database.write(async (tx) => {
    if (prices) await tx.run(keep, { ...prices, nowMs: clock.now() })
    return job(tx, prices?.fingerprint ?? null)
  })
}

/**
 * Records an attempt of work that the spend limits hold back. I-52: the limits are compared in the transaction that records it, so two tasks
 * cannot both use what is left. Undefined, with nothing recorded, when it would exceed one.
 */
export async function writeLimited<R>(
  deps: Pick<Pipeline, 'funds' | 'database' | 'clock' | 'calls' | 'settings'>,
  spending: Spending,
  job: (tx: Tx, priceList: string | null) => Promise<R>,
): Promise<R | undefined> {
  const check = await openSpendCheck(deps, spending)
  return writePriced(deps, async (tx, priceList) => {
    if (check) {
      // Other gateways wait here.
      if (priceList !== null) await tx.all(lock, { fingerprint: priceList })
      if ((await check(tx)) !== undefined) return undefined
    }
    return job(tx, priceList)
  })
}
