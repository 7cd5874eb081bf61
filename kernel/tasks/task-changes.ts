import { defineService } from '../core/service.ts'
import type { TaskRecord } from './task-record.ts'

/** A task that ended or was retried, with its new status. */
export type TaskChange = Pick<
  TaskRecord,
  'id' | 'kind' | 'subjectType' | 'subjectKey' | 'status' | 'runAtMs' | 'waitReason' | 'acknowledgedAtMs'
>

/** Informs watchers after the commit. The service's own work never depends on them. */
export interface TaskChanges {
  /** A listener that throws is logged and kept. The returned function ends the subscription. */
  subscribe(listener: (task: TaskChange) => void): () => void
}

export const taskChanges = defineService<TaskChanges>('kernel.task-changes')
