/** Counts the paid calls from their attempts, which are the only record of what was paid and of what may still be. */
import { type Reader, sqlStatement, type Tx } from '#kernel'
import type { AddedPieces, PaidCalls } from '../contract.ts'

export const dayMs = 86_400_000

const openStates = "('submitting', 'submitted', 'uncertain')"
const endedRemovals = "in ('removed', 'data_set_ended')"
const none = (...names: readonly string[]) => names.map((name) => `0 as ${name}`).join(', ')

/** `landed` 1: the chain has the call; 0: its outcome is open. Calls without effect are not in it. */
const attempts = (timeIs: string, dataSetIs: (column: string) => string) => `
  select data_set_id, submit_started_at / ${dayMs} as day, price_list, case when state = 'confirmed' then 1 else 0 end as landed,
    0 as creations, 1 as additions, piece_count as pieces, ${none('removals', 'terminations')}
  from commit_batches where submit_started_at ${timeIs} and state in ('confirmed', 'submitting', 'submitted', 'uncertain')
    and ${dataSetIs('data_set_id')}
  union all
  select id, create_started_at / ${dayMs}, create_price_list, case when state = 'creating' then 0 else 1 end,
    1, ${none('a', 'p', 'r', 't')}
  from data_sets where create_started_at ${timeIs} and (state = 'creating' or chain_id is not null) and ${dataSetIs('id')}
  union all
  select data_set_id, started_at / ${dayMs}, price_list,
    case when exists (select 1 from removals where attempt_id = removal_attempts.id and state in ${openStates}) then 0 else 1 end,
    ${none('c', 'a', 'p')}, 1, 0
  from removal_attempts where started_at ${timeIs} and ${dataSetIs('data_set_id')}
    and exists (select 1 from removals where attempt_id = removal_attempts.id)
  union all
  select data_set_id, started_at / ${dayMs}, price_list, case when state in ${openStates} then 0 else 1 end,
    ${none('c', 'a', 'p', 'r')}, 1
  from data_set_endings where started_at ${timeIs} and path = 'relay' and attempts > 0 and state <> 'pending' and ${dataSetIs('data_set_id')}`

const sums = ['creations', 'additions', 'pieces', 'removals', 'terminations']
  .map((name) => `cast(coalesce(sum(${name}), 0) as bigint) as ${name}`)
  .join(', ')

interface CallRow extends Omit<PaidCalls, 'hasLanded' | 'priceList'> {
  readonly day: number
  readonly priceList: string | null
  readonly landed: number
}

const grouped = (source: string) =>
  `select day, coalesce(price_list, '') as "priceList", landed, ${sums} from (${source}) calls group by day, coalesce(price_list, ''), landed`

const notPast = (column: string) => `${column} not in (select data_set_id from past_calls)`

const countDays = sqlStatement<{ fromMs: number; toMs: number; fromDay: number; toDay: number }, CallRow>(
  grouped(`${attempts('between :fromMs and :toMs', notPast)}
  union all
  select data_set_id, day, price_list, 1, creations, additions, pieces, removals, terminations
  from past_calls where day between :fromDay and :toDay`),
)

const countOfBucket = sqlStatement<{ bucketId: number }, CallRow>(
  grouped(attempts('> 0', (column) => `${column} in (select id from data_sets where bucket_id = :bucketId)`)),
)

const keepPast = sqlStatement<{ dataSetId: number }>(
  `insert into past_calls (data_set_id, day, price_list, creations, additions, pieces, removals, terminations)
   select data_set_id, day, coalesce(price_list, ''), ${sums}
   from (${attempts('> 0', (column) => `${column} = :dataSetId`)}) calls
   where landed = 1 and not exists (select 1 from past_calls where data_set_id = :dataSetId)
   group by data_set_id, day, coalesce(price_list, '')`,
)

/** Calls of one day. */
export interface CallsOfDay extends PaidCalls {
  readonly day: number
}

const toCalls = ({ priceList, landed, ...counts }: CallRow): CallsOfDay => ({
  ...counts,
  priceList: priceList === '' || priceList === null ? undefined : priceList,
  hasLanded: landed === 1,
})

/** A time that no clock shows. */
const lastMs = Number.MAX_SAFE_INTEGER

/** Calls recorded from one UTC day to the one before another, also those of deleted buckets. Days are numbered from 1970-01-01. */
export async function callsOfDays(read: Reader, fromDay: number, beforeDay?: number): Promise<readonly CallsOfDay[]> {
  const [toMs, toDay] = beforeDay === undefined ? [lastMs, lastMs] : [beforeDay * dayMs - 1, beforeDay - 1]
  return (await read.all(countDays, { fromMs: fromDay * dayMs, fromDay, toMs, toDay })).map(toCalls)
}

// One part for each table and state, because each has an index of the few rows that it reads.
const findFirstChangeable = sqlStatement<Record<never, never>, { at: number | null }>(
  `select min(at) as at from (
     select min(submit_started_at) as at from commit_batches where state not in ('confirmed', 'closed')
     union all select min(submit_started_at) from commit_batches where state = 'confirmed' and final_at is null
     union all select min(create_started_at) from data_sets where state = 'creating' or (chain_id is not null and final_at is null)
     union all select min(a.started_at) from removals join removal_attempts a on a.id = removals.attempt_id
       where removals.state not ${endedRemovals} and removals.state in ${openStates}
     union all select min(started_at) from data_set_endings where state in ${openStates}) times`,
)

/** When the oldest call was recorded whose outcome is open or not final: all calls recorded earlier keep theirs. */
export const firstChangeableMs = async (read: Reader): Promise<number> => (await read.get(findFirstChangeable, {}))?.at ?? lastMs

export const callsOfBucket = async (read: Reader, bucketId: number): Promise<readonly PaidCalls[]> =>
  (await read.all(countOfBucket, { bucketId })).map(toCalls)

/** Keeps the counts of a data set whose records are being deleted. May be repeated. */
export async function keepPastCalls(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(keepPast, { dataSetId })
}

interface UncountedAdditions {
  readonly bytes: number
  /** Data sets among them that had no committed piece at the epoch: the first one starts their monthly fee. */
  readonly emptySets: number
}

const sumUncounted = sqlStatement<{ epoch: number }, UncountedAdditions>(
  `select cast(coalesce(sum(pieces.length), 0) as bigint) as bytes,
     count(distinct case when not exists (
       select 1 from copies held left join commit_batches landed on landed.id = held.batch_id
       where held.data_set_id = b.data_set_id and held.state = 'committed' and coalesce(landed.landed_epoch, 0) <= :epoch)
       then b.data_set_id end) as "emptySets"
   from (
     select id, data_set_id from commit_batches where state not in ('confirmed', 'closed') and state in ${openStates}
     union all select id, data_set_id from commit_batches where landed_epoch > :epoch and state = 'confirmed') b
   join commit_items on commit_items.batch_id = b.id and commit_items.released_at is null
   join copies on copies.id = commit_items.copy_id
   join pieces on pieces.id = copies.piece_id`,
)

/** Pieces of additions that an account read at this epoch cannot contain: their outcome is open, or they landed later. */
export const uncountedAdditions = async (read: Reader, epoch: bigint): Promise<UncountedAdditions> =>
  (await read.get(sumUncounted, { epoch: Number(epoch) })) ?? { bytes: 0, emptySets: 0 }

const listPrices = sqlStatement<Record<never, never>, { fingerprint: string; prices: string }>(
  'select fingerprint, prices from price_lists',
)

/** The recorded price lists by fingerprint, as JSON. */
export const recordedPrices = async (read: Reader): Promise<ReadonlyMap<string, string>> =>
  new Map((await read.all(listPrices, {})).map(({ fingerprint, prices }) => [fingerprint, prices]))

const listSets = sqlStatement<
  Record<never, never>,
  { id: number; bucketId: number; bucketName: string; isDeleted: number; chainId: string; providerId: string }
>(
  `select data_sets.id, bucket_id as "bucketId", buckets.name as "bucketName", chain_id as "chainId", provider_id as "providerId",
     case when buckets.deleted_at is null then 0 else 1 end as "isDeleted"
   from data_sets join buckets on buckets.id = data_sets.bucket_id where chain_id is not null`,
)

/** All data sets on chain, with the bucket of each. */
export const dataSetsOnChain = async (read: Reader) =>
  (await read.all(listSets, {})).map(({ isDeleted, ...dataSet }) => ({ ...dataSet, isDeleted: isDeleted === 1 }))

const sumAdded = sqlStatement<{ sinceMs: number }, AddedPieces>(
  `select b.id as "bucketId", b.name as "bucketName", count(*) as additions, cast(sum(c.piece_count) as bigint) as pieces
   from commit_batches c join data_sets d on d.id = c.data_set_id join buckets b on b.id = d.bucket_id
   where c.submit_started_at >= :sinceMs and c.state = 'confirmed' and b.deleted_at is null group by b.id, b.name`,
)

/** Sums them by bucket. */
export const addedSince = async (read: Reader, sinceMs: number): Promise<readonly AddedPieces[]> =>
  (await read.all(sumAdded, { sinceMs })).map((row) => ({ ...row, additions: Number(row.additions) }))
