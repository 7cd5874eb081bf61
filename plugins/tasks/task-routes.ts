import { defineRoutes, optional, serveEndpoint } from '#kernel'
import { formatPreciseTime } from '#kernel/system'
import { workSubjects } from '#plugins/replication'
import {
  acknowledgeTask,
  acknowledgeTasks,
  listTasks,
  previewAcknowledge,
  previewRetry,
  retryTask,
  retryTasks,
  taskPageSizes,
  taskStats,
} from './api.ts'
import { describeTask } from './describe-task.ts'
import { type ListedTask, taskLedger } from './ledger/ledger.ts'

export const taskRoutes = defineRoutes({
  name: 'tasks',
  uses: { taskLedger, workSubjects: optional(workSubjects) },
  endpoints: [listTasks, taskStats, retryTask, previewRetry, retryTasks, acknowledgeTask, previewAcknowledge, acknowledgeTasks],
  register(app, { taskLedger, workSubjects }) {
    serveEndpoint(app, listTasks, async ({ query }) => {
      const { type, status, cursor, limit = taskPageSizes.usual } = query
      // One extra row tells whether there is another page.
      const found = await taskLedger.list({
        limit: limit + 1,
        ...(type === undefined ? {} : { kind: type }),
        ...(status === undefined ? {} : { status }),
        ...(cursor === undefined ? {} : { before: cursor }),
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const subjects = await workSubjects?.name(page.map(({ subjectType, subjectKey }) => ({ type: subjectType, key: subjectKey })))
      const nameOf = (task: ListedTask) => subjects?.nameOf({ type: task.subjectType, key: task.subjectKey })
      return {
        tasks: page.map((task) => describeTask(task, nameOf(task))),
        ...(found.length > limit && last ? { next_cursor: last.id } : {}),
      }
    })

    serveEndpoint(app, taskStats, async () =>
      (await taskLedger.counts()).map(({ kind, label, status, count }) => ({ type: kind, operation: label, status, count })),
    )

    serveEndpoint(app, retryTask, async ({ params }) => {
      await taskLedger.retry(params.id)
      return { status: 'pending' } as const
    })

    serveEndpoint(app, previewRetry, async ({ query }) => {
      const { kinds, asOfMs } = await taskLedger.previewRetry(query.type)
      return {
        kinds: kinds.map(({ kind, label, count, effect }) => ({
          type: kind,
          operation: label,
          count,
          ...(effect === undefined ? {} : { retry_effect: { level: 'review' as const, text: effect } }),
        })),
        as_of: formatPreciseTime(asOfMs),
      }
    })

    serveEndpoint(app, retryTasks, async ({ body }) => {
      const { type, failed_before } = body
      const { hasMore, ...done } = await taskLedger.retryAll({
        ...(type === undefined ? {} : { kind: type }),
        ...(failed_before === undefined ? {} : { failedBeforeMs: failed_before }),
      })
      return { ...done, ...(hasMore && { has_more: true }) }
    })

    serveEndpoint(app, acknowledgeTask, async ({ params }) => {
      await taskLedger.acknowledge(params.id)
      return { status: 'acknowledged' } as const
    })

    serveEndpoint(app, previewAcknowledge, async ({ query }) => {
      const { count, asOfMs } = await taskLedger.preview(query.type)
      return { count, as_of: formatPreciseTime(asOfMs) }
    })

    serveEndpoint(app, acknowledgeTasks, async ({ body }) => {
      const { type, failed_before } = body
      const acknowledged = await taskLedger.acknowledgeAll({
        ...(type === undefined ? {} : { kind: type }),
        ...(failed_before === undefined ? {} : { failedBeforeMs: failed_before }),
      })
      return { acknowledged }
    })
  },
})
