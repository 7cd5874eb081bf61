/** Data sets that new buckets need, by day (UTC) and user. */
import type { Params, Reader, Tx } from '#kernel'
import { statement } from './tables.ts'

const dayMs = 24 * 60 * 60 * 1000
/** Days that are kept, also when the clock steps back by less. */
const daysKept = 7
/** No access key has this character. */
const everyOwner = '*'

const dayOf = (nowMs: number) => Math.floor(nowMs / dayMs)

/** Milliseconds until the next day begins. */
export const untilNextDayMs = (nowMs: number): number => (dayOf(nowMs) + 1) * dayMs - nowMs

const addTo = statement((db, { day, owner, dataSets }: Params<{ day: number; owner: string; dataSets: number }>) =>
  db
    .insertInto('s3_new_data_sets')
    .values({ day, owner, data_sets: dataSets })
    .onConflict((conflict) =>
      conflict.columns(['day', 'owner']).doUpdateSet((row) => ({ data_sets: row('s3_new_data_sets.data_sets', '+', dataSets) })),
    )
    .returning('data_sets as dataSets'),
)
const forget = statement((db, { before }: Params<{ before: number }>) => db.deleteFrom('s3_new_data_sets').where('day', '<', before))
const ofDay = statement((db, { day }: Params<{ day: number }>) =>
  db.selectFrom('s3_new_data_sets').select(['owner', 'data_sets as dataSets']).where('day', '=', day),
)

/** Returns the numbers of this day with the added ones. */
export async function addNewDataSets(
  tx: Tx,
  { owner, dataSets, nowMs }: { readonly owner: string; readonly dataSets: number; readonly nowMs: number },
): Promise<{ readonly own: number; readonly total: number }> {
  const day = dayOf(nowMs)
  await tx.run(forget, { before: day - daysKept })
  const add = async (of: string) => (await tx.get(addTo, { day, owner: of, dataSets }))?.dataSets ?? 0
  return { own: await add(owner), total: await add(everyOwner) }
}

/** Reads those of this day. */
export async function readNewDataSets(
  read: Reader,
  nowMs: number,
): Promise<{ readonly byOwner: ReadonlyMap<string, number>; readonly total: number }> {
  const byOwner = new Map((await read.all(ofDay, { day: dayOf(nowMs) })).map(({ owner, dataSets }) => [owner, dataSets]))
  const total = byOwner.get(everyOwner) ?? 0
  byOwner.delete(everyOwner)
  return { byOwner, total }
}
