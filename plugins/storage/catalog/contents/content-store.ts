import type { Params, Tx } from '#kernel'
import type { NeededContent } from '../../contract.ts'
import type { StoreState } from '../entities/content-entity.ts'
import { statement } from '../entities/tables.ts'
import { clearLost } from './content-state-store.ts'
import { type LiveContent, lockKnownContent } from './live-content-store.ts'

interface AttachRequest {
  readonly bucketId: number
  /** `s256:` and the SHA-256 of the bytes in hex, or `mp:` and a digest of the SHA-256 and length of each segment. */
  readonly identity: string
  /** Null: not known. */
  readonly sha256: string | null
  readonly size: number
  readonly targetCopies: number
  readonly nowMs: number
  /** The reference is that of a composite or of an unfinished upload. Default: that of a version. */
  readonly isHold?: boolean
}

type NewContent = Omit<AttachRequest, 'isHold'> & References & { readonly storeState: StoreState }

interface References {
  readonly versions: number
  readonly holds: number
}

const oneReference = (isHold: boolean | undefined): References => (isHold ? { versions: 0, holds: 1 } : { versions: 1, holds: 0 })
const noReference: References = { versions: 0, holds: 0 }

/** No row when the bucket has a live content with these bytes. */
const addContent = statement((db, content: Params<NewContent>) =>
  db
    .insertInto('contents')
    .values({
      bucket_id: content.bucketId,
      identity: content.identity,
      size: content.size,
      sha256: content.sha256,
      ref_count: content.versions,
      hold_count: content.holds,
      target_copies: content.targetCopies,
      store_state: content.storeState,
      created_at: content.nowMs,
      updated_at: content.nowMs,
    })
    .onConflict((conflict) => conflict.columns(['bucket_id', 'identity', 'size']).where('state', '=', 'live').doNothing())
    .returning('id'),
)

interface NewReference extends References {
  readonly id: number
  readonly targetCopies: number
  readonly nowMs: number
}

const countReference = statement((db, { id, targetCopies, versions, holds, nowMs }: Params<NewReference>) =>
  db
    .updateTable('contents')
    .set((row) => ({
      ref_count: row('ref_count', '+', versions),
      hold_count: row('hold_count', '+', holds),
      target_copies: targetCopies,
      updated_at: nowMs,
    }))
    .where('id', '=', id),
)

/**
 * Adds a reference to the live content with these bytes, or inserts a new content. A content being deleted is never reused: the same
 * bytes become a new content with its own copies (I-18).
 */
export async function attachContent(tx: Tx, attach: AttachRequest): Promise<NeededContent> {
  const { bucketId, size, targetCopies } = attach
  // An empty content has no bytes to lose.
  const added = await tx.get(addContent, {
    ...attach,
    ...oneReference(attach.isHold),
    storeState: size === 0 ? 'stored' : 'unstored',
  })
  if (added) return { id: added.id, bucketId, size, targetCopies, durableCopies: 0, readableCopies: 0, reason: 'new' }
  const row = await lockKnownContent(tx, attach)
  const needed = await refer(tx, row, attach)
  if (row.storeState === 'lost') await clearLost(tx, row.id)
  return needed
}

/** Counts a new reference to the content, and raises its target to that of the version. */
export function refer(
  tx: Tx,
  content: LiveContent,
  { isHold, ...version }: Pick<AttachRequest, 'targetCopies' | 'nowMs' | 'isHold'>,
): Promise<NeededContent> {
  return count(tx, content, { ...version, ...oneReference(isHold) })
}

/** Raises the target of a pack to that of a version of a member. */
export function raiseTarget(tx: Tx, pack: LiveContent, version: Pick<AttachRequest, 'targetCopies' | 'nowMs'>): Promise<NeededContent> {
  return count(tx, pack, { ...version, ...noReference })
}

async function count(
  tx: Tx,
  { storeState, ...content }: LiveContent,
  version: Pick<AttachRequest, 'targetCopies' | 'nowMs'> & References,
): Promise<NeededContent> {
  const targetCopies = Math.max(content.targetCopies, version.targetCopies)
  await tx.run(countReference, { ...version, id: content.id, targetCopies })
  return { ...content, targetCopies, reason: attachReason(storeState, targetCopies > content.targetCopies) }
}

export function attachReason(storeState: string, isRaised: boolean): NeededContent['reason'] {
  if (storeState === 'lost') return 'recovered'
  if (isRaised) return 'raised'
  return storeState === 'stored' ? 'stored' : 'unstored'
}
