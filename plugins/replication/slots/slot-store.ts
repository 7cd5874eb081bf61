import { type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { ReplicaSlot, SlotProgress } from '../contract.ts'
import { statement } from '../tables.ts'

const findGenerations = statement((db, { bucketId }: Params<{ bucketId: number }>) =>
  db
    .selectFrom('data_sets as d')
    .leftJoin('replica_slots as s', (join) => join.onRef('s.bucket_id', '=', 'd.bucket_id').onRef('s.slot', '=', 'd.slot'))
    .leftJoin('data_set_endings as e', 'e.data_set_id', 'd.id')
    .select(['d.id', 'd.slot', 'd.generation', 'd.provider_id as providerId', 'd.service_url as serviceUrl', 'd.chain_id as chainId'])
    .select(['d.state', 'd.last_error as lastError', 'e.cause as endCause', 's.current_data_set_id as currentId'])
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
    .where('d.state', 'not in', ['retired', 'abandoned'])
    .where('e.data_set_id', 'is', null),
)

const findContents = statement((db, { dataSetId, after, limit }: Params<{ dataSetId: number; after: number; limit: number }>) =>
  db
    .selectFrom('copies as k')
    .innerJoin('contents as c', 'c.id', 'k.content_id')
    .select('k.content_id as id')
    .distinct()
    .where('k.data_set_id', '=', dataSetId)
    .where('k.content_id', '>', after)
    .where('k.state', '<>', 'removed')
    .where('c.state', '=', 'live')
    .orderBy('k.content_id')
    .limit(limit),
)

interface NewCopies {
  readonly dataSetId: number
  readonly contentIds: readonly number[]
  readonly nowMs: number
}

const addCopies = sqlStatement<NewCopies>(
  `insert into copies (piece_id, content_id, data_set_id, slot, state, method, created_at, updated_at)
   select p.id, c.id, d.id, d.slot, 'planned', 'pull', cast(:nowMs as bigint), cast(:nowMs as bigint)
   from data_sets d join contents c on c.bucket_id = d.bucket_id join pieces p on p.content_id = c.id
   where d.id = :dataSetId and c.id in :contentIds and c.state = 'live' and p.length <= d.piece_bytes_max
   on conflict (piece_id, data_set_id) do nothing`,
)

type Move = { from: number; to: number }

/** Contents with versions that have a copy on the data set `from`, with the one on `to`, if there is one. */
const moved = `copies s join contents c on c.id = s.content_id and c.state = 'live'
  left join copies t on t.piece_id = s.piece_id and t.data_set_id = :to
  where s.data_set_id = :from and s.state <> 'removed'`

const isFuture = 't.next_attempt_at > :nowMs'
/** Neither the cache nor the provider of another slot has the bytes. */
const hasNoSource = `not exists (select 1 from copies o join data_sets d on d.id = o.data_set_id where o.piece_id = t.piece_id and o.slot <> t.slot
    and o.state in ('parked', 'batched', 'unconfirmed', 'attention', 'committed') and d.state in ('ready', 'write_blocked', 'retiring'))
  and not exists (select 1 from cache_entries e where e.content_id = t.content_id and e.state = 'present')`

const workOf = `case when t.state = 'committed' then 'copied' when t.state = 'attention' then 'attention'
  when t.state in ('transferring', 'parked', 'batched', 'unconfirmed') then 'active'
  when t.state = 'planned' and ${isFuture} then 'retrying' when t.state = 'planned' and ${hasNoSource} then 'waitingForSource' else 'pending' end`

type Work = Exclude<keyof SlotProgress, 'total' | 'nextRetryAtMs'>

const countWork = sqlStatement<Move & { nowMs: number }, { work: Work; n: number; nextRetryAtMs: number | null }>(
  `select x.work, count(*) as n, min(case when x.work = 'retrying' then x.next_attempt_at end) as "nextRetryAtMs"
   from (select t.next_attempt_at, ${workOf} as work from ${moved}) x group by x.work`,
)

const findUncopied = sqlStatement<Move, { isCopied: number }>(
  `select case when t.state = 'committed' then 1 else 0 end as "isCopied" from ${moved}
     and s.state in ('batched', 'unconfirmed', 'attention', 'committed')
     and not exists (select 1 from commit_batches b join data_sets d on d.id = b.data_set_id
       where b.id = t.batch_id and t.state = 'committed' and b.final_at is not null and d.state = 'ready')
   order by 1 limit 1`,
)

const findUndecided = sqlStatement<{ dataSetId: number }, { n: number }>(
  `select 1 as n where exists (select 1 from commit_batches where data_set_id = :dataSetId and state not in ('confirmed', 'closed'))
     or exists (select 1 from removals where data_set_id = :dataSetId and state not in ('removed', 'data_set_ended')
       and state in ('submitting', 'submitted', 'uncertain'))`,
)

const findCurrent = sqlStatement<{ dataSetId: number }, { id: number }>(
  `select s.current_data_set_id as id from data_sets d join replica_slots s on s.bucket_id = d.bucket_id and s.slot = d.slot
   where d.id = :dataSetId`,
)

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
  page: { readonly dataSetId: number; readonly after: number; readonly limit: number },
): Promise<readonly number[]> {
  return (await read.all(findContents, page)).map(({ id }) => id)
}

/** Plans a copy of each content on the data set, unless it has one. */
export async function planCopiesOn(tx: Tx, copies: NewCopies): Promise<void> {
  await tx.run(addCopies, copies)
}

export async function countProgress(read: Reader, move: Move & { readonly nowMs: number }): Promise<SlotProgress> {
  const rows = await read.all(countWork, move)
  const count = (work: Work) => rows.find((row) => row.work === work)?.n ?? 0
  return {
    total: rows.reduce((sum, { n }) => sum + n, 0),
    copied: count('copied'),
    pending: count('pending'),
    active: count('active'),
    retrying: count('retrying'),
    waitingForSource: count('waitingForSource'),
    attention: count('attention'),
    nextRetryAtMs: rows.find(({ work }) => work === 'retrying')?.nextRetryAtMs ?? null,
  }
}

/** I-48: why the service of a data set whose bucket is kept must not be ended, in words for operators; undefined when it may. */
export async function findEndBlock(read: Reader, dataSetId: number): Promise<string | undefined> {
  const current = await read.get(findCurrent, { dataSetId })
  if (current?.id === dataSetId) return 'it is the current data set of its slot'
  // Without a successor every content that it holds blocks its end.
  const uncopied = await read.get(findUncopied, { from: dataSetId, to: current?.id ?? 0 })
  if (uncopied?.isCopied === 0) return 'its successor does not have all of its contents yet'
  if (uncopied) return 'copies on its successor are not final on chain yet'
  if (await read.get(findUndecided, { dataSetId })) return 'the outcome of a transaction with its pieces is not known yet'
  return undefined
}
