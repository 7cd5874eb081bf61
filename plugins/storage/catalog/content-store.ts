import type { Tx } from '#kernel'
import type { NeededContent } from '../contract.ts'
import { clearLost } from './content-state-store.ts'

interface AttachRequest {
  readonly bucketId: number
  /** `s256:` and the SHA-256 of the bytes in hex. */
  readonly identity: string
  readonly sha256: string
  readonly size: number
  readonly targetCopies: number
  readonly nowMs: number
}

interface ContentRow {
  readonly id: number
  readonly target: number
  readonly durable: number
  readonly readable: number
  readonly storeState: string
}

/**
 * Adds a reference to the live content with these bytes, or inserts a new content. A content being deleted is never reused: the same
 * bytes become a new content with its own copies (I-18).
 */
export async function attachContent(tx: Tx, attach: AttachRequest): Promise<NeededContent> {
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
  if (changes === 1) return { id: lastId, bucketId, size, targetCopies, durableCopies: 0, readableCopies: 0, reason: 'new' }
  return await joinLiveContent(tx, attach)
}

async function joinLiveContent(tx: Tx, { bucketId, identity, size, targetCopies, nowMs }: AttachRequest): Promise<NeededContent> {
  const row = tx.get<ContentRow>(
    `select id, target_copies as target, durable_copies as durable, readable_copies as readable, store_state as "storeState"
     from contents where bucket_id = ? and identity = ? and size = ? and state = 'live'`,
    bucketId,
    identity,
    size,
  )
  if (!row) throw new Error(`content ${identity} of bucket ${bucketId} is missing inside a transaction`)
  const target = Math.max(row.target, targetCopies)
  tx.run('update contents set ref_count = ref_count + 1, target_copies = ?, updated_at = ? where id = ?', target, nowMs, row.id)
  if (row.storeState === 'lost') await clearLost(tx, row.id)
  const reason = attachReason(row, target)
  return { id: row.id, bucketId, size, targetCopies: target, durableCopies: row.durable, readableCopies: row.readable, reason }
}

/** The reason for an existing content whose target becomes `newTarget`. */
export function attachReason(
  { storeState, target }: { readonly storeState: string; readonly target: number },
  newTarget: number,
): NeededContent['reason'] {
  if (storeState === 'lost') return 'recovered'
  if (newTarget > target) return 'raised'
  return storeState === 'stored' ? 'stored' : 'unstored'
}
