import type { Params, Tx } from '#kernel'
import type { Pipeline } from '../pipeline.ts'
import { statement } from '../tables.ts'

const keep = statement((db, { fingerprint, list, nowMs }: Params<{ fingerprint: string; list: string; nowMs: number }>) =>
  db
    .insertInto('price_lists')
    .values({ fingerprint, prices: list, seen_at: nowMs })
    .onConflict((row) => row.column('fingerprint').doNothing()),
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
