import { defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'

export const workerSection = defineSection('worker.tasks', {
  doc: 'Background tasks.',
  keys: {
    concurrency: setting.integer({
      label: 'Concurrency',
      doc: 'Tasks that run at the same time.',
      default: 12,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    poll_interval: setting.duration({
      label: 'Poll interval',
      doc: 'Longest time between two polls for due tasks; new tasks start at once.',
      default: '5s',
      minMs: 50,
      editable: true,
    }),
    lease_duration: setting.duration({
      label: 'Lease',
      doc: 'Validity of a task lease without renewal: the tasks of a dead process run again after this time.',
      default: '60s',
      minMs: 1000,
      editable: true,
    }),
    max_retries: setting.integer({
      label: 'Retries',
      doc: 'Retries of a failing task, with growing pauses, before it fails and needs an operator. 11 retries take about half an hour. Waiting for a provider, the chain or funds does not count.',
      default: 11,
      min: 0,
      editable: true,
      risk: 'review',
    }),
    retention: setting.duration({
      label: 'Retention',
      doc: 'Task records are deleted this long after completion, or after their failure is acknowledged.',
      default: '168h',
      editable: true,
    }),
  },
})
