import { createHash } from 'node:crypto'
import type { Tx } from '#kernel'
import type { Bucket } from '../../contract.ts'
import { placeBlob, type StagedBlob } from '../cached/cache-entry-store.ts'
import { attachContent } from '../contents/content-store.ts'
import type { Referred } from '../versions/version-store.ts'

export const identityOf = (sha256: string): string => `s256:${sha256}`

/** Equal for the same contents in the same order. */
export const identityOfParts = (parts: readonly { readonly identity: string; readonly size: number }[]): string =>
  `parts:${createHash('sha256')
    .update(parts.map(({ identity, size }) => `${identity} ${size}\n`).join(''))
    .digest('hex')}`

interface NewBytes {
  readonly bucket: Pick<Bucket, 'id' | 'defaultCopies'>
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Absent for an empty content, which has no bytes. */
  readonly blob: StagedBlob | undefined
  readonly nowMs: number
  /** The reference is that of an unfinished upload. */
  readonly isHold?: boolean
}

/** Adds a reference to the content with these bytes, and makes the blob its cached file. */
export async function attachBytes(tx: Tx, { bucket, size, sha256, blob, nowMs, isHold = false }: NewBytes): Promise<Referred> {
  const content = await attachContent(tx, {
    bucketId: bucket.id,
    identity: identityOf(sha256),
    sha256,
    size,
    targetCopies: bucket.defaultCopies,
    nowMs,
    isHold,
  })
  if (!blob) return { content, needsCopies: [], addedBytes: 0, redundant: [] }
  return {
    content,
    needsCopies: [content],
    ...(await placeBlob(tx, { contentId: content.id, blob, nowMs, isNewContent: content.reason === 'new' })),
  }
}
