import { createContents, createKeepers } from '../../storage/testing/rows.ts'
import { pieceKeeper } from '../attach/attach.ts'

/** The port of storage over the rows of copies. No task is enqueued: a test that deletes or puts contents gives its own services. */
export const rowContents = createContents(createKeepers(() => [{ item: pieceKeeper, services: {} }]))
