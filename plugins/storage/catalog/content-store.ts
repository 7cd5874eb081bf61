import type { Tx } from '#kernel'

export interface Attach {
  readonly bucketId: number
  /** `s256:` and the SHA-256 of the bytes in hex. */
  readonly identity: string
  readonly sha256: string
  readonly size: number
  readonly targetCopies: number
  readonly nowMs: number
}

export interface AttachedContent {
  readonly id: number
  readonly bucketId: number
  readonly size: number
  readonly targetCopies: number
  readonly durableCopies: number
  readonly readableCopies: number
  /**
   * `new`: these bytes were not in the bucket. `raised`: they were, with a lower target. `found`: they were lost and are here again.
   * `unstored`: they were, and lack copies still. `known`: nothing is to be done for the copies.
   */
  readonly because: 'new' | 'raised' | 'found' | 'unstored' | 'known'
}

interface ContentRow {
  readonly id: number
  readonly target: number
  readonly durable: number
  readonly readable: number
  readonly storeState: string
}

/**
 * Makes one more version point at the bytes. Only a live content is joined: one that is being deleted keeps going, and the same bytes
 * become a new content with copies of its own (I-18).
 */
export function attachContent(tx: Tx, attach: Attach): AttachedContent {
  const { bucketId, identity, sha256, size, targetCopies, nowMs } = attach
  const { changes, lastId } = tx.run(
    `insert into contents (bucket_id, identity, size, sha256, ref_count, target_copies, created_at, updated_at)
     values (?, ?, ?, ?, 1, ?, ?, ?) on conflict (bucket_id, identity, size) where state = 'live' do nothing`,
    bucketId,
    identity,
    size,
    sha256,
    targetCopies,
    nowMs,
    nowMs,
  )
  if (changes === 1) return { id: lastId, bucketId, size, targetCopies, durableCopies: 0, readableCopies: 0, because: 'new' }
  return joinContent(tx, attach)
}

function joinContent(tx: Tx, { bucketId, identity, size, targetCopies, nowMs }: Attach): AttachedContent {
  const row = tx.get<ContentRow>(
    `select id, target_copies as target, durable_copies as durable, readable_copies as readable, store_state as "storeState"
     from contents where bucket_id = ? and identity = ? and size = ? and state = 'live'`,
    bucketId,
    identity,
    size,
  )
  if (!row) throw new Error(`content ${identity} of bucket ${bucketId} vanished inside a transaction`)
  const target = Math.max(row.target, targetCopies)
  const isFound = row.storeState === 'lost'
  tx.run(
    'update contents set ref_count = ref_count + 1, target_copies = ?, store_state = ?, updated_at = ? where id = ?',
    target,
    isFound ? 'unstored' : row.storeState,
    nowMs,
    row.id,
  )
  const because = joinedBecause(row, target)
  return { id: row.id, bucketId, size, targetCopies: target, durableCopies: row.durable, readableCopies: row.readable, because }
}

/** Why copies may be due of a content that was there already and has this target now. */
export function joinedBecause(
  { storeState, target }: { readonly storeState: string; readonly target: number },
  newTarget: number,
): AttachedContent['because'] {
  if (storeState === 'lost') return 'found'
  if (newTarget > target) return 'raised'
  return storeState === 'stored' ? 'known' : 'unstored'
}
