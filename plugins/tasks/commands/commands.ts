import { adminFlags, defineCommand } from '#kernel'

/** What `svc admin task` offers. */
export const taskCommands = [
  defineCommand({
    name: 'admin task list',
    summary: 'List background tasks, newest first',
    examples: [
      ['svc admin task list --status failed', 'Failures that nobody has acknowledged'],
      ['svc admin task list --type storage_store --limit 100', 'The latest uploads to providers'],
    ],
    flags: {
      ...adminFlags,
      type: { type: 'text', description: 'Only this type of task, such as storage_store' },
      status: {
        type: ['pending', 'running', 'completed', 'failed', 'cancelled', 'dismissed'],
        description: 'Only this status; dismissed failures are not among the failed',
      },
      limit: { type: 'number', description: 'Tasks to show, 1 to 100; default 50' },
      cursor: { type: 'number', description: 'Go on after this task, as the line before says' },
    },
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin task stats',
    summary: 'Count background tasks by type and status',
    examples: [['svc admin task stats', 'Acknowledged failures count as dismissed']],
    flags: adminFlags,
    load: () => import('./stats-command.ts'),
  }),
  defineCommand({
    name: 'admin task retry',
    summary: 'Run a failed task again',
    examples: [['svc admin task retry 42', 'Where the list says that it can be retried']],
    parameters: ['<id>'],
    flags: adminFlags,
    load: () => import('./retry-command.ts'),
  }),
  defineCommand({
    name: 'admin task acknowledge',
    summary: 'Dismiss one failed task, or all of them',
    examples: [
      ['svc admin task acknowledge 42', 'One failure'],
      ['svc admin task acknowledge --type storage_store --before 2026-01-31T12:00:00Z --yes', 'Every older failure of a type'],
    ],
    parameters: ['[id]'],
    flags: {
      ...adminFlags,
      type: { type: 'text', description: 'Dismiss every failure of this type' },
      before: { type: 'text', description: 'Only failures recorded before this RFC 3339 time; default now' },
      yes: { type: 'switch', description: 'Confirm the dismissal of more than one' },
    },
    load: () => import('./acknowledge-command.ts'),
  }),
]
