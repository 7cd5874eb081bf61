import { sql } from 'kysely'
import type { Params, Reader } from '#kernel'
import { statement } from '../../tables.ts'

/** A copy whose bytes the provider has accepted; it does not serve them yet. */
export interface UploadedCopy {
  readonly copyId: number
  readonly pieceCid: string
  readonly nextAttemptAtMs: number
}

/** A place in the index of the copies of a data set in one state. */
type Place = Pick<UploadedCopy, 'copyId' | 'nextAttemptAtMs'>
export const firstPlace: Place = { copyId: 0, nextAttemptAtMs: 0 }

interface UploadedPage {
  readonly dataSetId: number
  /** Uploads of earlier times are left to their store tasks. */
  readonly sinceMs: number
  readonly untilMs: number
  readonly limit: number
}

const findUploaded = statement((db, { dataSetId, sinceMs, untilMs, copyId, nextAttemptAtMs, limit }: Params<UploadedPage & Place>) =>
  db
    .selectFrom('copies as c')
    .innerJoin('pieces as p', 'p.id', 'c.piece_id')
    .select(['c.id as copyId', 'p.piece_cid as pieceCid', 'c.next_attempt_at as nextAttemptAtMs'])
    .where('c.data_set_id', '=', dataSetId)
    .where('c.state', '=', 'transferring')
    .where('c.batch_id', 'is', null)
    .where('c.uploaded_at', '>=', sinceMs)
    .where('c.uploaded_at', '<=', untilMs)
    .where(sql<boolean>`(c.next_attempt_at, c.id) > (${nextAttemptAtMs}, ${copyId})`)
    .where('p.piece_cid', 'is not', null)
    .orderBy('c.next_attempt_at')
    .orderBy('c.id')
    .limit(limit)
    .$narrowType<{ pieceCid: string }>(),
)

const findAny = statement((db, { dataSetId, sinceMs }: Params<{ dataSetId: number; sinceMs: number }>) =>
  db
    .selectFrom('copies')
    .select('id')
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', 'transferring')
    .where('batch_id', 'is', null)
    .where('uploaded_at', '>=', sinceMs)
    .limit(1),
)

const findComplete = statement((db, { contentIds }: Params<{ contentIds: readonly number[] }>) =>
  db
    .selectFrom('contents as c')
    .select('c.id')
    .where('c.id', 'in', contentIds)
    .where('c.target_copies', '<=', (content) =>
      content
        .selectFrom('copies')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('content_id', '=', 'c.id'),
    ),
)

/** The next uploaded copies of a data set after this place. */
export async function uploadedCopies(
  reader: Reader,
  page: UploadedPage,
  { copyId, nextAttemptAtMs }: Place,
): Promise<readonly UploadedCopy[]> {
  return reader.all(findUploaded, { ...page, copyId, nextAttemptAtMs })
}

/** Whether an upload since this time is not parked yet. */
export async function hasUploaded(reader: Reader, dataSetId: number, sinceMs: number): Promise<boolean> {
  return (await reader.get(findAny, { dataSetId, sinceMs })) !== undefined
}

/** Returns the contents that have as many copies as their bucket wants, in any state. */
export async function fullyPlanned(reader: Reader, contentIds: readonly number[]): Promise<ReadonlySet<number>> {
  return new Set((await reader.all(findComplete, { contentIds })).map(({ id }) => id))
}
