import type { Reader, Tx } from '#kernel'
import type { NeededContent } from '../../contract.ts'
import { clearLost } from '../contents/content-state-store.ts'
import { lockLiveContent } from '../contents/live-content-store.ts'
import { type AtContent, statement } from '../entities/tables.ts'
import { placeBlob, type StagedBlob } from './cache-entry-store.ts'

const selectFillable = statement((db, { contentId }: AtContent) =>
  db
    .selectFrom('contents as c')
    .select(['c.size', 'c.sha256'])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('cache_entries as e').select('e.content_id').whereRef('e.content_id', '=', 'c.id').where('e.state', '=', 'present'),
      ).as('isCached'),
    )
    .where('c.id', '=', contentId)
    .where('c.state', '=', 'live'),
)

const findEntry = statement((db, { contentId }: AtContent) =>
  db.selectFrom('cache_entries').select('content_id').where('content_id', '=', contentId),
)

export interface FillableContent {
  readonly size: number
  /** Lower-case hex; null when not recorded. */
  readonly sha256: string | null
  readonly isCached: boolean
}

/** Returns nothing when the content has no version. */
export async function findFillable(read: Reader, contentId: number): Promise<FillableContent | undefined> {
  const row = await read.get(selectFillable, { contentId })
  return row && { ...row, isCached: Number(row.isCached) === 1 }
}

/** SHA-256 of a file whose content has none. */
export interface OwnSha256 {
  readonly ownSha256?: string
}

interface FilledContent {
  /** Bytes by which the cache grew. */
  readonly addedBytes: number
  /** The content was lost: its keepers must make copies again. */
  readonly recovered: NeededContent | undefined
}

/**
 * Makes the blob the cached file of the content, whose entry may be released at once when it has enough copies. Undefined, and nothing is
 * changed, when the last version was deleted since the fill began, or the content has an entry, such as that of an upload of its bytes.
 */
export async function placeFill(
  tx: Tx,
  { contentId, blob, nowMs }: { readonly contentId: number; readonly blob: StagedBlob & OwnSha256; readonly nowMs: number },
): Promise<FilledContent | undefined> {
  const row = await lockLiveContent(tx, contentId)
  if (!row || (await tx.get(findEntry, { contentId }))) return undefined
  const { addedBytes } = await placeBlob(tx, { contentId, blob, nowMs, isNewContent: false })
  const { storeState, ...content } = row
  if (storeState !== 'lost') return { addedBytes, recovered: undefined }
  await clearLost(tx, contentId)
  return { addedBytes, recovered: { ...content, reason: 'recovered' } }
}
