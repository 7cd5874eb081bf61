import { createHash } from 'node:crypto'
import type { Tx } from '#kernel'
import { adoptParts } from '../catalog/cached/cache-entry-store.ts'
import { hasCachedFiles } from '../catalog/cached/cached-content-store.ts'
import { attachContent } from '../catalog/contents/content-store.ts'
import { attachBytes, identityOfParts } from '../catalog/references/attach-bytes.ts'
import { attachComposite } from '../catalog/references/composite-store.ts'
import { addHeldPart } from '../catalog/references/held-part-store.ts'
import type { NewCurrent, Referred } from '../catalog/versions/version-store.ts'
import type { Leaf } from './leaves.ts'

/** Since the completion was planned a part was replaced, or the bytes of parts that were not verified were cached. */
export class PartsReplaced extends Error {}

type Put = Pick<NewCurrent, 'bucket' | 'nowMs' | 'size'>

interface FromUpload {
  readonly uploadId: string
  /** Ids of the files that may replace cached files. */
  readonly intact: ReadonlySet<string>
}

/** Adds a reference to the content of the leaves, whose files are parts of the upload: empty, one leaf, or a composite. */
export async function attachLeaves(tx: Tx, from: FromUpload, put: Put, leaves: readonly Leaf[]): Promise<Referred> {
  const [leaf, ...others] = leaves
  if (!leaf) return attachBytes(tx, { ...put, sha256: createHash('sha256').digest('hex'), blob: undefined })
  if (others.length === 0) return attachLeaf(tx, from, put, { leaf, isHold: false })
  const { uploadId } = from
  const { bucket, size, nowMs } = put
  const attached: Referred[] = []
  let offset = 0
  for (const [partNo, leaf] of leaves.entries()) {
    const part = await attachLeaf(tx, from, put, { leaf, isHold: true })
    attached.push(part)
    // No epoch is needed: the row ends in this transaction.
    await addHeldPart(tx, { holder: uploadId, partNo, contentId: part.content.id, offset, length: leaf.size, epoch: null })
    offset += leaf.size
  }
  const content = await attachComposite(tx, {
    bucketId: bucket.id,
    identity: identityOfParts(leaves),
    size,
    partCount: leaves.length,
    targetCopies: bucket.defaultCopies,
    holder: uploadId,
    nowMs,
  })
  return {
    content,
    needsCopies: attached.flatMap(({ needsCopies }) => needsCopies),
    addedBytes: attached.reduce((sum, { addedBytes }) => sum + addedBytes, 0),
    redundant: attached.flatMap(({ redundant }) => redundant),
  }
}

/** A live content with the same segments is used again, with the new files, which replace cached ones only when they are intact (I-30). */
async function attachLeaf(
  tx: Tx,
  { uploadId, intact }: FromUpload,
  { bucket, nowMs }: Put,
  { leaf: { identity, sha256, size, segments }, isHold }: { readonly leaf: Leaf; readonly isHold: boolean },
): Promise<Referred> {
  const bytes = { bucketId: bucket.id, identity, sha256, size }
  const content = await attachContent(tx, { ...bytes, targetCopies: bucket.defaultCopies, nowMs, isHold })
  const isVerified = content.reason === 'new' || segments.every(({ blobId }) => intact.has(blobId))
  if (!isVerified && (await hasCachedFiles(tx, bytes))) throw new PartsReplaced()
  const placed = await adoptParts(tx, {
    contentId: content.id,
    uploadId,
    blobIds: segments.map(({ blobId }) => blobId),
    bytes: size,
    nowMs,
    isNewContent: content.reason === 'new',
  })
  if (!placed) throw new PartsReplaced()
  return { content, needsCopies: [content], ...placed }
}
