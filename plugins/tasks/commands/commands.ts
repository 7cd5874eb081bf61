import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'

/** Commands of `svc admin task`. */
export const taskCommands = [
  defineCommand({
    name: 'admin task list',
    summary: 'List background tasks, newest first',
    examples: [
      ['svc admin task list --status failed', 'Failures that are not acknowledged'],
      ['svc admin task list --type storage_store --limit 100', 'The latest uploads to providers'],
      ['svc admin task list --watch', 'Follow the list until Ctrl-C'],
    ],
    flags: {
      ...adminFlags,
      type: { type: 'text', description: 'Only this type of task, such as storage_store' },
      status: {
        type: ['pending', 'running', 'completed', 'failed', 'cancelled', 'dismissed'],
        description: 'Only this status; failed leaves out dismissed failures',
      },
      limit: { type: 'number', max: 100, description: 'Tasks to show, 1 to 100; default 50' },
      cursor: {
        type: 'number',
        max: Number.MAX_SAFE_INTEGER,
        description: 'Continue after this task id, which the last line of a page names',
      },
      watch: watchFlag,
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
    name: 'admin task show',
    summary: 'Show one background task: what it does, why it waits or failed, and the next step',
    examples: [['svc admin task show 42', 'By the id in svc admin task list']],
    parameters: ['<id>'],
    flags: adminFlags,
    load: () => import('./show-command.ts'),
  }),
  defineCommand({
    name: 'admin task retry',
    summary: 'Run a failed task again',
    examples: [['svc admin task retry 42', 'svc admin task show says whether it can be retried']],
    parameters: ['<id>'],
    flags: adminFlags,
    load: () => import('./retry-command.ts'),
  }),
  defineCommand({
    name: 'admin task acknowledge',
    summary: 'Dismiss one failed task, or every failed task',
    examples: [
      ['svc admin task acknowledge 42', 'One failure'],
      ['svc admin task acknowledge --type storage_store --before 2026-01-31T12:00:00Z --yes', 'Every failure of a type before this time'],
    ],
    parameters: ['[id]'],
    flags: {
      ...adminFlags,
      type: { type: 'text', description: 'Dismiss every failure of this type' },
      before: { type: 'text', description: 'Only failures recorded before this RFC 3339 time; default now' },
      yes: { type: 'switch', description: 'Confirm the dismissal of every failed task' },
    },
    load: () => import('./acknowledge-command.ts'),
  }),
]
