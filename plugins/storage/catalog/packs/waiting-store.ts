/** Contents that wait for a pack: cached, without copies. */
import { type DueTimes, type Params, type Reader, sqlStatement, type Tx } from '#kernel'
import type { WaitingMember, WaitingSum } from '../../contract.ts'
import { type AtContent, statement } from '../entities/tables.ts'

interface NewWaiting {
  readonly contentId: number
  readonly bucketId: number
  readonly length: number
  readonly nowMs: number
}

const add = statement((db, { contentId, bucketId, length, nowMs }: Params<NewWaiting>) =>
  db
    .insertInto('waiting_members')
    .values({ content_id: contentId, bucket_id: bucketId, length, added_at: nowMs })
    .onConflict((conflict) => conflict.column('content_id').doNothing()),
)

const find = statement((db, { contentId }: AtContent) =>
  db.selectFrom('waiting_members').select('content_id').where('content_id', '=', contentId),
)

const remove = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db.deleteFrom('waiting_members').where('content_id', 'in', contentIds),
)

const sum = sqlStatement<{ bucketId: number }, { contents: number; bytes: number; oldestMs: number | null; newestMs: number | null }>(
  `select count(*) as contents, cast(coalesce(sum(length), 0) as bigint) as bytes, min(added_at) as "oldestMs", max(added_at) as "newestMs"
   from waiting_members where bucket_id = :bucketId`,
)

const page = statement((db, { bucketId, after, limit }: Params<{ bucketId: number; after: number; limit: number }>) =>
  db
    .selectFrom('waiting_members as w')
    .innerJoin('contents as c', 'c.id', 'w.content_id')
    .select(['w.content_id as contentId', 'w.length', 'c.sha256'])
    .where('w.bucket_id', '=', bucketId)
    .where('w.content_id', '>', after)
    .orderBy('w.content_id')
    .limit(limit)
    // Contents without a SHA-256 never wait.
    .$narrowType<{ sha256: string }>(),
)

/** A loose index scan: one step per bucket, however many contents wait in each. */
const nextBucket = statement((db, { after }: Params<{ after: number }>) =>
  db.selectFrom('waiting_members').select('bucket_id as bucketId').where('bucket_id', '>', after).orderBy('bucket_id').limit(1),
)

const boundTimes = statement((db, { nowMs }: Params<{ nowMs: number }>) =>
  db.updateTable('waiting_members').set({ added_at: nowMs }).where('added_at', '>', nowMs),
)

export async function addWaiting(tx: Tx, content: NewWaiting): Promise<void> {
  await tx.run(add, content)
}

export async function isWaiting(read: Reader, contentId: number): Promise<boolean> {
  return (await read.get(find, { contentId })) !== undefined
}

/** Returns how many of the contents waited. */
export async function dropWaiting(tx: Tx, contentIds: readonly number[]): Promise<number> {
  return (await tx.run(remove, { contentIds })).changes
}

export async function sumWaiting(read: Reader, bucketId: number): Promise<WaitingSum> {
  const { contents = 0, bytes = 0, oldestMs = null, newestMs = null } = (await read.get(sum, { bucketId })) ?? {}
  return { contents: Number(contents), bytes, oldestMs: oldestMs ?? undefined, newestMs: newestMs ?? undefined }
}

/** Contents in order of their id, which is about that of their puts. */
export async function listWaiting(
  read: Reader,
  range: { readonly bucketId: number; readonly after: number; readonly limit: number },
): Promise<readonly WaitingMember[]> {
  return read.all(page, range)
}

/** The next bucket after this one in which contents wait. */
export async function nextWaitingBucket(read: Reader, after: number): Promise<number | undefined> {
  return (await read.get(nextBucket, { after }))?.bucketId
}

/** After the clock was set back, contents would wait until it has the time of their puts again, and be only in the cache until then. */
export const waitingTimes: DueTimes = {
  name: 'storage-waiting-members',
  async bound(tx, nowMs) {
    await tx.run(boundTimes, { nowMs })
  },
}
