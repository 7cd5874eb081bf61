import { type Clock, clock, type Database, database, defineRecovery, type TaskQueue, taskQueue } from '#kernel'
import { type Contents, contents } from '#plugins/storage'
import { releaseCopies } from '../holdings/release-store.ts'
import { createSchedule } from '../schedule.ts'
import { contentsWithoutPiece, copiesWithoutContent } from './adopt-store.ts'
import { storeWhenDue } from './store-when-due.ts'

/** Contents per transaction. */
const contentsPerPage = 500

interface AdoptDeps {
  readonly database: Database
  readonly clock: Clock
  readonly queue: Pick<TaskQueue, 'enqueue' | 'isOpen'>
  readonly contents: Pick<Contents, 'doubtCopies'>
}

/** Catches up after starts without this plugin: stores contents that were put meanwhile, removes copies of contents that were deleted. */
export async function adoptContents(deps: AdoptDeps): Promise<void> {
  const { database, queue, clock } = deps
  for (let after = 0; ; ) {
    const page = contentsWithoutPiece(database.read, { after, limit: contentsPerPage })
    if (page.length === 0) break
    await database.write((tx) => {
      for (const content of page) storeWhenDue(deps, tx, { ...content, durableCopies: 0, readableCopies: 0, reason: 'new' })
    })
    after = page.at(-1)?.id ?? after
  }
  const schedule = createSchedule(queue)
  for (let after = 0; ; ) {
    const page = copiesWithoutContent(database.read, { after, limit: contentsPerPage })
    if (page.length === 0) return
    await database.write((tx) => {
      for (const id of page) for (const dataSetId of releaseCopies(tx, id, clock.now())) schedule.cleanup(tx, dataSetId)
    })
    after = page.at(-1) ?? after
  }
}

export const adoptContentsRecovery = defineRecovery({
  name: 'replication.adopt-contents',
  uses: { database, clock, queue: taskQueue, contents },
  run: adoptContents,
})
