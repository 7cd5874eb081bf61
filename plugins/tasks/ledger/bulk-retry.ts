import type { Database } from '#kernel'
import type { KindFacts, TaskControl, TaskRecord } from '#kernel/system'
import type { TaskLedger } from './ledger.ts'
import { listTasks, readCounts } from './task-list-store.ts'

/** Failures looked at in one transaction, so that many do not block the writer. */
const pageRows = 200
/** Tasks that one request retries; it is repeated for the rest. */
const retriedMax = 5000

interface BulkRetryDeps {
  readonly database: Database
  readonly control: TaskControl
  /** Throws for an unknown kind. */
  requireKind(kind: string | undefined): void
}

/** What a retry of all failures of a kind does; undefined for kinds whose failures are retried one by one, or not at all. */
const effectOf = (known: KindFacts | undefined): string | undefined =>
  known && known.retry !== false && known.retry.level === 'review' ? known.retry.text : undefined

export function createBulkRetry({ database, control, requireKind }: BulkRetryDeps): Pick<TaskLedger, 'previewRetry' | 'retryAll'> {
  return {
    async previewRetry(kind) {
      requireKind(kind)
      const kinds = control.kinds()
      // Counts in a write, so that no failure is recorded between the count and its timestamp.
      return database.write(async (tx) => {
        const asOfMs = await control.markFailures(tx)
        const failed = (await readCounts(tx, [])).filter(
          (count) => count.status === 'failed' && (kind === undefined || count.kind === kind),
        )
        return {
          asOfMs,
          kinds: failed.map((of) => ({
            kind: of.kind,
            label: kinds.get(of.kind)?.label ?? of.kind,
            count: of.count,
            effect: effectOf(kinds.get(of.kind)),
          })),
        }
      })
    },
    async retryAll({ kind, failedBeforeMs = Number.POSITIVE_INFINITY }) {
      requireKind(kind)
      const kinds = control.kinds()
      const total = { retried: 0, refused: 0 }
      // Excludes failures recorded after the start: a retried task may fail again while the others are retried.
      const beforeMs = Math.min(failedBeforeMs, await database.write((tx) => control.markFailures(tx)))
      const isMeant = (task: TaskRecord) => (task.failedAtMs ?? beforeMs) < beforeMs && effectOf(kinds.get(task.kind)) !== undefined
      for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; ) {
        if (total.retried >= retriedMax) return { ...total, hasMore: true }
        const page = { status: 'failed', before, limit: pageRows, ...(kind === undefined ? {} : { kind }) } as const
        const done = await database.write(
          async (tx) => {
            const failed = await listTasks(tx, page, [])
            const meant = failed.filter(isMeant)
            let retried = 0
            for (const { id } of meant) if (typeof (await control.retry(tx, id)) !== 'string') retried += 1
            return { retried, refused: meant.length - retried, before: failed.length < pageRows ? undefined : failed.at(-1)?.id }
          },
          { rows: pageRows },
        )
        total.retried += done.retried
        total.refused += done.refused
        before = done.before
      }
      return total
    },
  }
}
