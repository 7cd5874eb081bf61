import type { Database } from '../../db/database.ts'
import { type } from '../../schema.ts'
import { done } from '../outcome.ts'
import { deleteExpired } from '../rows/retention-store.ts'
import { defineTask, type TaskKind } from '../task.ts'

const pageRows = 500
/** One sweep deletes at most 100,000 rows; the next one, an hour later, continues. */
const pagesMax = 200

/** Removes records of ended tasks: completed and cancelled ones after the retention period, failed ones that long after their acknowledgement. */
export function retentionTask({ database, retentionMs }: { readonly database: Database; readonly retentionMs: number }): TaskKind {
  return defineTask({
    kind: 'task_gc',
    label: 'Remove expired task records',
    args: type({}),
    uses: {},
    isRecurring: true,
    subject: () => ({ type: 'system', key: 'task_gc' }),
    async run({ nowMs, signal, fence }) {
      const fenced = fence(database)
      for (let page = 0; page < pagesMax && !signal.aborted; page++) {
        const deleted = await fenced.write((tx) => deleteExpired(tx, nowMs - retentionMs, pageRows), { rows: pageRows })
        if (deleted < pageRows) break
      }
      return done()
    },
  })
}
