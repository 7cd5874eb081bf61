import type { Params, Tx } from '#kernel'
import type { NeededContent } from '../../contract.ts'
import { statement } from '../entities/tables.ts'
import { neededColumns } from './content-state-store.ts'

/** A live content, with the state from which the reason of a `NeededContent` follows. */
export interface LiveContent extends Omit<NeededContent, 'reason'> {
  readonly storeState: string
}

/** Identifies at most one live content of a bucket. */
export interface ContentKey {
  readonly bucketId: number
  readonly identity: string
  readonly size: number
}

const lockById = statement((db, { contentId }: Params<{ contentId: number }>) =>
  db.selectFrom('contents').select(neededColumns).where('id', '=', contentId).where('state', '=', 'live').forUpdate(),
)

const lockByKey = statement((db, { bucketId, identity, size }: Params<ContentKey>) =>
  db
    .selectFrom('contents')
    .select(neededColumns)
    .where('bucket_id', '=', bucketId)
    .where('identity', '=', identity)
    .where('size', '=', size)
    .where('state', '=', 'live')
    .forUpdate(),
)

/** Locks the live content until the end of the transaction. Undefined when it has no version. */
export const lockLiveContent = (tx: Tx, contentId: number): Promise<LiveContent | undefined> => tx.get(lockById, { contentId })

/** Locks the live content that an insertion met. */
export async function lockKnownContent(tx: Tx, { bucketId, identity, size }: ContentKey): Promise<LiveContent> {
  const row = await tx.get(lockByKey, { bucketId, identity, size })
  if (!row) throw new Error(`content ${identity} of bucket ${bucketId} is missing inside a transaction`)
  return row
}
