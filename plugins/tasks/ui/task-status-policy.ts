/** Words and tones of tasks. The API decides what can be done with a task; nothing here computes it. Pure. */
import type { Answer, Tone } from '@svc/ui-kit'

export type Task = Answer<'GET /tasks'>['tasks'][number]
type TaskStatus = Task['presentation_status']

export const statusTones: Readonly<Record<TaskStatus, Tone>> = {
  queued: 'neutral',
  scheduled: 'neutral',
  waiting: 'warning',
  running: 'info',
  completed: 'success',
  failed: 'danger',
  cancelled: 'neutral',
  dismissed: 'neutral',
}

export const statusLabels: Readonly<Record<TaskStatus, string>> = {
  queued: 'Queued',
  scheduled: 'Scheduled',
  waiting: 'Waiting',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  dismissed: 'Dismissed',
}

/** One sentence for the head of the diagnostics. */
export const statusSentences: Readonly<Record<TaskStatus, string>> = {
  queued: 'It is due and starts as soon as a worker is free.',
  scheduled: 'It runs again at a later time.',
  waiting: 'It waits for something outside of the task. That is no failure, and it goes on by itself.',
  running: 'A worker runs it now.',
  completed: 'It is done.',
  failed: 'It failed and does not run again by itself.',
  cancelled: 'It was cancelled.',
  dismissed: 'It failed, and an operator dismissed the failure.',
}

/** Values of the filter of the API. */
export const filterStatuses = ['pending', 'running', 'completed', 'failed', 'cancelled', 'dismissed'] as const
type FilterStatus = (typeof filterStatuses)[number]

export const filterLabels: Readonly<Record<FilterStatus, string>> = {
  pending: 'Pending',
  running: 'Running',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  dismissed: 'Dismissed',
}

/** Returns undefined for a value that the API would refuse, as of a link that was changed by hand. */
export const readStatus = (text: string): FilterStatus | undefined => filterStatuses.find((status) => status === text)

const cursorDigits = /^[1-9]\d{0,15}$/

/** Returns undefined for text that is no task id. */
export const readTaskId = (text: string): number | undefined => {
  const id = cursorDigits.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(id) ? id : undefined
}

/** `2 of 4`; without a limit, the retries alone. */
export const retriesText = ({ retry_count, retry_limit }: Pick<Task, 'retry_count' | 'retry_limit'>): string =>
  retry_limit === undefined ? String(retry_count) : `${retry_count} of ${retry_limit}`

const subjectNames: Readonly<Record<string, string>> = {
  storage_content: 'Content',
  storage_data_set: 'Data set',
  bucket: 'Bucket',
  system: 'Service',
}

export const subjectName = (type: string): string => subjectNames[type] ?? type

/** `provider 2 (name)`; undefined where the task is not that of one provider. */
export const providerText = ({ provider_id, provider_name }: Task['subject']): string | undefined =>
  provider_id === undefined
    ? undefined
    : provider_name === undefined
      ? `provider ${provider_id}`
      : `provider ${provider_id} (${provider_name})`

export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/', key.length - 2) + 1)

/** The line of the table: why it waits or failed, and else what it says. */
export const messageOf = ({ last_error, status_message, wait_reason, failure_reason }: Task): string | undefined =>
  last_error ?? status_message ?? wait_reason ?? failure_reason
