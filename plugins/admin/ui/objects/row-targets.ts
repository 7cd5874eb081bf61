import type { BulkTargets } from '../bulk/bulk-dialog.tsx'
import { isFolderId, textOfId } from './row-ids.ts'

/** Selected rows as the targets of a bulk action. */
export const targetsOfRows = (rowIds: readonly string[]): BulkTargets =>
  rowIds.map((id) => (isFolderId(id) ? { prefix: textOfId(id) } : { key: textOfId(id) }))
