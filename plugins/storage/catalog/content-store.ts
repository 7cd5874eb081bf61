import type { Params, Tx } from '#kernel'
import type { NeededContent } from '../contract.ts'
import { clearLost, neededColumns } from './content-state-store.ts'
import { statement } from './tables.ts'

interface AttachRequest {
  readonly bucketId: number
  /** `s256:` and the SHA-256 of the bytes in hex, or `mp:` and a digest of the SHA-256 and length of each segment. */
  readonly identity: string
  /** Null: not known. */
  readonly sha256: string | null
  readonly size: number
  readonly targetCopies: number
  readonly nowMs: number
}

/** No row when the bucket has a live content with these bytes. */
const addContent = statement((db, { bucketId, identity, sha256, size, targetCopies, nowMs }: Params<AttachRequest>) =>
  db
    .insertInto('contents')
    .values({
      bucket_id: bucketId,
      identity,
      size,
      sha256,
      ref_count: 1,
      target_copies: targetCopies,
      created_at: nowMs,
      updated_at: nowMs,
    })
    .onConflict((conflict) => conflict.columns(['bucket_id', 'identity', 'size']).where('state', '=', 'live').doNothing())
    .returning('id'),
)

const lockLive = statement((db, { bucketId, identity, size }: Params<Pick<AttachRequest, 'bucketId' | 'identity' | 'size'>>) =>
  db
    .selectFrom('contents')
    .select(neededColumns)
    .where('bucket_id', '=', bucketId)
    .where('identity', '=', identity)
    .where('size', '=', size)
    .where('state', '=', 'live')
    .forUpdate(),
)

const countReference = statement((db, { id, targetCopies, nowMs }: Params<{ id: number; targetCopies: number; nowMs: number }>) =>
  db
    .updateTable('contents')
    .set((row) => ({ ref_count: row('ref_count', '+', 1), target_copies: targetCopies, updated_at: nowMs }))
    .where('id', '=', id),
)

/**
 * Adds a reference to the live content with these bytes, or inserts a new content. A content being deleted is never reused: the same
 * bytes become a new content with its own copies (I-18).
 */
export async function attachContent(tx: Tx, attach: AttachRequest): Promise<NeededContent> {
  const { bucketId, identity, size, targetCopies } = attach
  const added = await tx.get(addContent, attach)
  if (added) return { id: added.id, bucketId, size, targetCopies, durableCopies: 0, readableCopies: 0, reason: 'new' }
  const row = await tx.get(lockLive, attach)
  if (!row) throw new Error(`content ${identity} of bucket ${bucketId} is missing inside a transaction`)
  const needed = await refer(tx, row, attach)
  if (row.storeState === 'lost') await clearLost(tx, row.id)
  return needed
}

interface ReferencedContent extends Omit<NeededContent, 'reason'> {
  readonly storeState: string
}

/** Counts a new version of the content, and raises its target to that of the version. */
export async function refer(
  tx: Tx,
  { storeState, ...content }: ReferencedContent,
  version: { readonly targetCopies: number; readonly nowMs: number },
): Promise<NeededContent> {
  const targetCopies = Math.max(content.targetCopies, version.targetCopies)
  await tx.run(countReference, { id: content.id, targetCopies, nowMs: version.nowMs })
  return { ...content, targetCopies, reason: attachReason(storeState, targetCopies > content.targetCopies) }
}

function attachReason(storeState: string, isRaised: boolean): NeededContent['reason'] {
  if (storeState === 'lost') return 'recovered'
  if (isRaised) return 'raised'
  return storeState === 'stored' ? 'stored' : 'unstored'
}
