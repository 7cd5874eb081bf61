import { defineReleaseGuard } from '#plugins/storage'
import { isBeingMoved } from '../records/item-store.ts'

/** The cache may be the only source that a replacement may use: its bytes stay until the target has them. */
export const movingBytesGuard = defineReleaseGuard({
  name: 'replacement',
  uses: {},
  mayRelease: async (_services, tx, contentId) => !(await isBeingMoved(tx, contentId)),
})
