import { setImmediate } from 'node:timers/promises'
import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { ReplicaSlot, SlotProgress } from '../contract.ts'
import { statesInBatch, statesWithBytes } from '../states/tables/copy-transitions-policy.ts'
import { endedStates, statesThatServe } from '../states/tables/data-set-transitions-policy.ts'
import { listOf } from '../states/tables/transition.ts'
import { statement } from '../tables.ts'

const findGenerations = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db
    .selectFrom('data_sets as d')
    .leftJoin('replica_slots as s', (join) => join.onRef('s.bucket_id', '=', 'd.bucket_id').onRef('s.slot', '=', 'd.slot'))
    .leftJoin('data_set_endings as e', 'e.data_set_id', 'd.id')
    .select(['d.id', 'd.slot', 'd.generation', 'd.provider_id as providerId', 'd.service_url as serviceUrl', 'd.chain_id as chainId'])
    .select([
      'd.state',
      'd.last_error as lastError',
      'e.cause as endCause',
      'e.end_epoch as endEpoch',
      's.current_data_set_id as currentId',
    ])
    .where('d.bucket_id', '=', bucketId)
    .orderBy('d.slot')
    .orderBy('d.generation'),
)

/** Generations of a slot that may become current. */
const findNext = statement((db, { bucketId, slot, generation }: Params<{ bucketId: number; slot: number; generation: number }>) =>
  db
    .selectFrom('data_sets as d')
    .leftJoin('data_set_endings as e', 'e.data_set_id', 'd.id')
    .select('d.id')
    .where('d.bucket_id', '=', bucketId)
    .where('d.slot', '=', slot)
    .where('d.generation', '>', generation)
    .where('d.state', 'not in', endedStates)
    .where('e.data_set_id', 'is', null),
)

/** Copies of the data set `from` whose provider has, or may have, the bytes. Those in flight are few. */
const inFlight = `select * from copies k where k.data_set_id = :from and k.state in ${listOf(['transferring', 'parked', ...statesInBatch])}`
/** Read by the index of committed copies. */
const committed = "k.data_set_id = :from and k.state = 'committed' and k.content_id > :after"
const committedPage = `select * from copies k where ${committed} order by k.content_id limit :limit`

type Page = { from: number; after: number; limit: number }

const live = "join contents c on c.id = k.content_id and c.state = 'live'"
const findContents = sqlStatement<Page, { id: number }>(
  `select s.content_id as id from (select * from (select k.content_id from copies k ${live} where ${committed} order by k.content_id limit :limit) p
     union select f.content_id from (${inFlight}) f join contents c on c.id = f.content_id and c.state = 'live' where f.content_id > :after) s
   order by s.content_id limit :limit`,
)

type Move = { readonly from: number; readonly to: number }

/** The provider of no other slot has the bytes of the copy with this name. */
export const hasNoProvider = (copy: string): string =>
  `not exists (select 1 from copies o join data_sets d on d.id = o.data_set_id where o.piece_id = ${copy}.piece_id and o.slot <> ${copy}.slot
    and o.state in ${listOf(statesWithBytes)} and d.state in ${listOf(statesThatServe)})`

/** Nor does the cache. */
export const hasNoSource = (copy: string): string => `${hasNoProvider(copy)}
  and not exists (select 1 from cache_entries e where e.content_id = ${copy}.content_id and e.state = 'present')`

/** deleted: the content has no versions · final: copied, and no reorganisation reverts it. */
type Work = Exclude<keyof SlotProgress, 'total' | 'nextRetryAtMs'> | 'deleted' | 'final'

const workOf = `case when c.state <> 'live' then 'deleted'
  when t.state = 'committed' and b.final_at is not null then 'final' when t.state = 'committed' then 'copied'
  when t.state = 'attention' then 'attention' when t.state in ('transferring', 'parked', 'batched', 'unconfirmed') then 'active'
  when t.state = 'planned' and t.next_attempt_at > :nowMs then 'retrying'
  when t.state = 'planned' and ${hasNoSource('t')} then 'waitingForSource' else 'pending' end`

interface WorkCount {
  readonly work: Work
  readonly n: number
  readonly last: number
  readonly nextRetryAtMs: number | null
}

/** The work that is left to move these copies to the data set `to`. */
const countWork = (copies: string) =>
  `select x.work, count(*) as n, max(x.content_id) as last, min(case when x.work = 'retrying' then x.next_attempt_at end) as "nextRetryAtMs"
     from (select s.content_id, t.next_attempt_at, ${workOf} as work from (${copies}) s join contents c on c.id = s.content_id
       left join copies t on t.piece_id = s.piece_id and t.data_set_id = :to left join commit_batches b on b.id = t.batch_id) x group by x.work`

type At = Move & { readonly nowMs: number }
const countInFlight = sqlStatement<At, WorkCount>(countWork(inFlight))
const countCommitted = sqlStatement<At & Page, WorkCount>(countWork(committedPage))

const findUndecided = sqlStatement<{ dataSetId: number }, { n: number }>(
  `select 1 as n where exists (select 1 from commit_batches where data_set_id = :dataSetId and state not in ('confirmed', 'closed'))
     or exists (select 1 from removals where data_set_id = :dataSetId and state not in ('removed', 'data_set_ended')
       and state in ('submitting', 'submitted', 'uncertain'))`,
)

const findCurrent = sqlStatement<{ dataSetId: number }, { id: number; state: string }>(
  `select s.current_data_set_id as id, n.state from data_sets d join replica_slots s on s.bucket_id = d.bucket_id and s.slot = d.slot
     join data_sets n on n.id = s.current_data_set_id where d.id = :dataSetId`,
)

/** Contents that are counted between two turns of the event loop. */
const countedPerPage = 500

export async function listSlots(read: Reader, bucketId: number): Promise<readonly ReplicaSlot[]> {
  const rows = await read.all(findGenerations, { bucketId })
  return [...Map.groupBy(rows, ({ slot }) => slot)].map(([slot, generations]) => ({
    slot,
    currentId: generations[0]?.currentId ?? null,
    generations: generations.map(({ slot: _, currentId: __, ...generation }) => generation),
  }))
}

/** Whether the slot has a generation after this one that is not being ended. */
export async function hasNext(
  tx: Tx,
  of: { readonly bucketId: number; readonly slot: number; readonly generation: number },
): Promise<boolean> {
  const { bucketId, slot, generation } = of
  return (await tx.get(findNext, { bucketId, slot, generation })) !== undefined
}

export async function contentsOf(
  read: Reader,
  { dataSetId: from, ...page }: { readonly dataSetId: number; readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  return (await read.all(findContents, { from, ...page })).map(({ id }) => id)
}

/** The work of all contents of the data set `from`, page by page. */
async function* countPages(read: Reader, move: At): AsyncGenerator<readonly WorkCount[]> {
  yield await read.all(countInFlight, move)
  for (let after = 0; ; ) {
    const page = await read.all(countCommitted, { ...move, after, limit: countedPerPage })
    yield page
    if (page.reduce((sum, { n }) => sum + n, 0) < countedPerPage) return
    after = Math.max(...page.map(({ last }) => last))
    await setImmediate()
  }
}

export async function countProgress(read: Reader, move: At): Promise<SlotProgress> {
  const rows = (await Array.fromAsync(countPages(read, move))).flat()
  const count = (...works: readonly Work[]) => rows.reduce((sum, { work, n }) => sum + (works.includes(work) ? n : 0), 0)
  const retries = rows.flatMap(({ nextRetryAtMs }) => nextRetryAtMs ?? [])
  return {
    total: count('final', 'copied', 'pending', 'active', 'retrying', 'waitingForSource', 'attention'),
    copied: count('final', 'copied'),
    pending: count('pending'),
    active: count('active'),
    retrying: count('retrying'),
    waitingForSource: count('waitingForSource'),
    attention: count('attention'),
    nextRetryAtMs: retries.length === 0 ? null : Math.min(...retries),
  }
}

/** I-48: why the service of a data set whose bucket is kept must not be ended, in words for operators; undefined when it may. */
export async function findEndBlock(read: Reader, dataSetId: number): Promise<string | undefined> {
  const current = await read.get(findCurrent, { dataSetId })
  if (current?.id === dataSetId) return 'it is the current data set of its slot'
  if (await read.get(findUndecided, { dataSetId })) return 'the outcome of a transaction with its pieces is not known yet'
  // Each content that it holds blocks its end without a successor.
  for await (const page of countPages(read, { from: dataSetId, to: current?.id ?? 0, nowMs: 0 })) {
    if (page.some(({ work }) => work !== 'deleted' && work !== 'final' && work !== 'copied'))
      return 'its successor does not have all of its contents yet'
    if (page.some(({ work }) => work === 'copied')) return 'copies on its successor are not final on chain yet'
    if (current?.state !== 'ready' && page.some(({ work }) => work === 'final')) return 'its successor is not live on chain'
  }
  return undefined
}
