/** Endpoints of background tasks. Times are RFC 3339 in UTC, in whole seconds unless noted. */

import { defineEndpoint, documented, taskKinds } from '#kernel'
import { type } from '#kernel/schema'
import { readTime } from '#plugins/admin'

const status = type("'pending' | 'running' | 'completed' | 'failed' | 'cancelled'")

const taskType = type('string').narrow(
  documented((contributed) => ({
    enum: contributed(taskKinds)
      .map(({ kind }) => kind)
      .sort(),
  })),
)

export const task = type({
  id: 'number.integer',
  type: 'string',
  /** Label of the type. */
  operation: 'string',
  status,
  presentation_status: "'queued' | 'scheduled' | 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled' | 'dismissed'",
  /** `object_key`: of one version of the content. */
  subject: {
    type: 'string',
    key: 'string',
    'bucket?': 'string',
    'object_key?': 'string',
    'provider_id?': 'string',
    'provider_name?': 'string',
  },
  retry_count: 'number.integer',
  'retry_limit?': 'number.integer',
  retryable: 'boolean',
  /** What a retry does; `danger`: it deletes permanently. Absent while the task cannot be retried. */
  'retry_effect?': { level: "'review' | 'danger'", text: 'string' },
  acknowledgeable: 'boolean',
  'wait_reason?': 'string',
  'failure_reason?': 'string',
  /** Never set while the task waits. */
  'last_error?': 'string',
  'status_message?': 'string',
  /** Earliest next run. */
  available_at: 'string',
  'started_at?': 'string',
  'finished_at?': 'string',
  'acknowledged_at?': 'string',
  created_at: 'string',
  updated_at: 'string',
})

const id = type('string.integer.parse').to('1 <= number.integer <= 9007199254740991')
const taskPath = type({ id })
const time = type('string')
  .narrow(documented({ format: 'date-time' }))
  .pipe((text, ctx) => readTime(text) ?? ctx.error('an RFC 3339 time such as 2026-01-31T12:00:00Z'))

/** Parameters of an earlier list that paged by offset: ignoring them would return the wrong page. */
const removed = type('string')
  .narrow((_text, ctx) => ctx.mustBe('left out: the list is paged by cursor'))
  .configure({ deprecated: true }, 'self')

export const taskPageSizes = { usual: 50, max: 100 } as const

export const listTasks = defineEndpoint({
  method: 'GET',
  path: '/api/v1/tasks',
  summary: 'List background tasks, newest first, without healthy recurring ones',
  query: type({
    'type?': taskType,
    /** `failed`: not acknowledged; `dismissed`: acknowledged. */
    'status?': status.or("'dismissed'"),
    'limit?': type('string.integer.parse').to(`1 <= number.integer <= ${taskPageSizes.max}`),
    /** The `next_cursor` of the page before. */
    'cursor?': id,
    'stage?': removed,
    'offset?': removed,
    'category?': removed,
  }),
  answer: type({ tasks: task.array(), 'next_cursor?': 'number.integer' }),
  refusals: ['unknown_task_type'],
})

export const taskStats = defineEndpoint({
  method: 'GET',
  path: '/api/v1/tasks/stats',
  summary: 'Count tasks by type and status; acknowledged failures count as dismissed',
  answer: type({
    type: 'string',
    /** Label of the type. */ operation: 'string',
    status: status.or("'dismissed'"),
    count: 'number.integer',
  }).array(),
})

export const retryTask = defineEndpoint({
  method: 'POST',
  path: '/api/v1/tasks/:id/retry',
  role: 'operator',
  summary: 'Retry a failed task',
  params: taskPath,
  answer: type({ status: "'pending'" }),
  refusals: ['task_retry_unsupported'],
})

export const previewRetry = defineEndpoint({
  method: 'GET',
  path: '/api/v1/tasks/retry/preview',
  summary: 'Show by type which failures a retry of all would run again; passing `as_of` back retries exactly these',
  query: type({ 'type?': taskType }),
  answer: type({
    kinds: type({
      type: 'string',
      operation: 'string',
      /** Failures that were not dismissed. */
      count: 'number.integer',
      /** Absent: not retried together, because a retry is not possible, or deletes permanently and is confirmed for each task. */
      'retry_effect?': { level: "'review'", text: 'string' },
    }).array(),
    /** Includes milliseconds. */
    as_of: 'string',
  }),
  refusals: ['unknown_task_type'],
})

export const retryTasks = defineEndpoint({
  method: 'POST',
  path: '/api/v1/tasks/retry',
  role: 'operator',
  summary: 'Retry all failures recorded before a time (default: now), of one type or of all types whose retry deletes nothing',
  audit: ['type', 'failed_before', 'retried'],
  body: type({ 'type?': taskType, 'failed_before?': time }),
  isBodyOptional: true,
  answer: type({
    retried: 'number.integer',
    /** Failures that cannot be retried, or whose work a newer task does. */
    refused: 'number.integer',
    /** True: the request retried at least 5,000 tasks, and is repeated for the rest. */
    'has_more?': 'boolean',
  }),
  refusals: ['unknown_task_type'],
})

export const acknowledgeTask = defineEndpoint({
  method: 'POST',
  path: '/api/v1/tasks/:id/acknowledge',
  role: 'operator',
  summary: 'Dismiss one failed task',
  params: taskPath,
  answer: type({ status: "'acknowledged'" }),
  refusals: ['task_not_acknowledgeable'],
})

export const previewAcknowledge = defineEndpoint({
  method: 'GET',
  path: '/api/v1/tasks/acknowledge/preview',
  summary: 'Count the failures that a bulk acknowledgement would dismiss; passing `as_of` back dismisses exactly these',
  query: type({ 'type?': taskType }),
  answer: type({ count: 'number.integer', /** Includes milliseconds. */ as_of: 'string' }),
  refusals: ['unknown_task_type'],
})

export const acknowledgeTasks = defineEndpoint({
  method: 'POST',
  path: '/api/v1/tasks/acknowledge',
  role: 'operator',
  summary: 'Dismiss all failures recorded before a time (default: now), of one type or of all types',
  audit: ['type', 'failed_before', 'acknowledged'],
  body: type({ 'type?': taskType, 'failed_before?': time }),
  isBodyOptional: true,
  answer: type({ acknowledged: 'number.integer' }),
  refusals: ['unknown_task_type'],
})

export type Task = typeof task.infer
export * from './workers/workers-api.ts'
