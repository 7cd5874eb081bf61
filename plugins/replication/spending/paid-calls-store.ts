/** Counts the paid calls from their attempts, which are the only record of what was paid and of what may still be. */
import { type Reader, sqlStatement, type Tx } from '#kernel'
import type { PaidCalls } from '../contract.ts'

const dayMs = 86_400_000

const openStates = "('submitting', 'submitted', 'uncertain')"
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
  readonly priceList: string | null
  readonly landed: number
}

const grouped = (source: string) =>
  `select coalesce(price_list, '') as "priceList", landed, ${sums} from (${source}) calls group by coalesce(price_list, ''), landed`

const notPast = (column: string) => `${column} not in (select data_set_id from past_calls)`

const countSince = sqlStatement<{ sinceMs: number; sinceDay: number }, CallRow>(
  grouped(`${attempts('>= :sinceMs', notPast)}
  union all
  select data_set_id, day, price_list, 1, creations, additions, pieces, removals, terminations
  from past_calls where day >= :sinceDay`),
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

const toCalls = ({ priceList, landed, ...counts }: CallRow): PaidCalls => ({
  ...counts,
  priceList: priceList === '' || priceList === null ? undefined : priceList,
  hasLanded: landed === 1,
})

/** Calls recorded since the beginning of a UTC day, also those of deleted buckets. */
export const callsSince = async (read: Reader, sinceMs: number): Promise<readonly PaidCalls[]> =>
  (await read.all(countSince, { sinceMs, sinceDay: Math.floor(sinceMs / dayMs) })).map(toCalls)

export const callsOfBucket = async (read: Reader, bucketId: number): Promise<readonly PaidCalls[]> =>
  (await read.all(countOfBucket, { bucketId })).map(toCalls)

/** Keeps the counts of a data set whose records are being deleted. May be repeated. */
export async function keepPastCalls(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(keepPast, { dataSetId })
}

interface UndecidedAdditions {
  readonly bytes: number
  /** Data sets among them that have no committed piece yet: the first one starts their monthly fee. */
  readonly emptySets: number
}

const sumUndecided = sqlStatement<Record<never, never>, UndecidedAdditions>(
  `select cast(coalesce(sum(pieces.length), 0) as bigint) as bytes,
     count(distinct case when not exists (select 1 from copies held where held.data_set_id = b.data_set_id and held.state = 'committed')
       then b.data_set_id end) as "emptySets"
   from commit_batches b
   join commit_items on commit_items.batch_id = b.id and commit_items.released_at is null
   join copies on copies.id = commit_items.copy_id
   join pieces on pieces.id = copies.piece_id
   where b.state not in ('confirmed', 'closed') and b.state in ${openStates}`,
)

/** Pieces of additions whose outcome is open. */
export const undecidedAdditions = async (read: Reader): Promise<UndecidedAdditions> =>
  (await read.get(sumUndecided, {})) ?? { bytes: 0, emptySets: 0 }

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
