import type { TaskRecord } from '#kernel/system'
import type { PresentationStatus } from './ledger.ts'

/** Pending work is queued, scheduled or waiting; an acknowledged failure is dismissed. */
export function presentTask(
  task: Pick<TaskRecord, 'status' | 'waitReason' | 'runAtMs' | 'acknowledgedAtMs'>,
  nowMs: number,
): PresentationStatus {
  if (task.status === 'failed' && task.acknowledgedAtMs !== null) return 'dismissed'
  if (task.status !== 'pending') return task.status
  if (task.waitReason !== null) return 'waiting'
  return task.runAtMs > nowMs ? 'scheduled' : 'queued'
}

export function isRetryable(task: Pick<TaskRecord, 'status' | 'isRetryable'>): boolean {
  return task.status === 'failed' && task.isRetryable === 1
}

export function isAcknowledgeable(task: Pick<TaskRecord, 'status' | 'acknowledgedAtMs'>): boolean {
  return task.status === 'failed' && task.acknowledgedAtMs === null
}
