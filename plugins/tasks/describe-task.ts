import { formatTime } from '#kernel'
import type { WorkSubject } from '#plugins/replication'
import type { Task } from './api.ts'
import type { ListedTask } from './ledger/ledger.ts'

/** `subject`: what replication knows about it. */
export function describeTask(task: ListedTask, subject: WorkSubject | undefined): Task {
  const isWaiting = task.presentationStatus === 'waiting'
  return {
    id: task.id,
    type: task.kind,
    operation: task.label,
    status: task.status,
    presentation_status: task.presentationStatus,
    subject: {
      type: task.subjectType,
      key: task.subjectKey,
      ...present('bucket', task.bucket ?? subject?.bucket ?? null),
      ...present('object_key', subject?.key ?? null),
      ...present('provider_id', subject?.providerId ?? null),
      ...present('provider_name', subject?.providerName ?? null),
    },
    ...countRetries(task),
    retryable: task.retryable,
    ...(task.retryable && task.retryEffect ? { retry_effect: task.retryEffect } : {}),
    acknowledgeable: task.acknowledgeable,
    ...present('wait_reason', isWaiting ? task.waitReason : null),
    ...present('failure_reason', task.status === 'failed' ? task.errorCode : null),
    // I-08: a waiting task shows no error, even after earlier failures.
    ...present('last_error', isWaiting ? null : task.lastError),
    ...present('status_message', task.message),
    available_at: formatTime(task.runAtMs),
    ...presentTime('started_at', task.startedAtMs),
    ...presentTime('finished_at', task.finishedAtMs),
    ...presentTime('acknowledged_at', task.acknowledgedAtMs),
    created_at: formatTime(task.createdAtMs),
    updated_at: formatTime(task.updatedAtMs),
  }
}

/** A retry follows each failure except the final one. */
function countRetries({ attempts, attemptsMax, status }: ListedTask): Pick<Task, 'retry_count' | 'retry_limit'> {
  const retry_count = status === 'failed' ? attempts - 1 : attempts
  return attemptsMax === undefined || attemptsMax === Infinity ? { retry_count } : { retry_count, retry_limit: attemptsMax - 1 }
}

const present = <K extends string>(name: K, value: string | null) =>
  (value === null ? {} : { [name]: value }) as { readonly [P in K]?: string }
const presentTime = <K extends string>(name: K, ms: number | null) => present(name, ms === null ? null : formatTime(ms))
