import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'

/** Commands of `svc admin storage-confirmation`. */
export const confirmationCommands = [
  defineCommand({
    name: 'admin storage-confirmation list',
    summary: 'List copies whose paid submission has no known outcome and needs an operator',
    examples: [
      ['svc admin storage-confirmation list', 'Oldest first; entries disappear when the chain shows the outcome'],
      ['svc admin storage-confirmation list --watch', 'Follow the list until Ctrl-C'],
    ],
    flags: {
      ...adminFlags,
      limit: { type: 'number', max: 1000, description: 'Entries to show, 1 to 1000; default 100' },
      watch: watchFlag,
    },
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin storage-confirmation release',
    summary: 'Let another attempt store a copy; if both reach the chain, both are paid until the surplus piece is removed',
    examples: [['svc admin storage-confirmation release 42 --attempt-id 7 --yes', 'By the ids in svc admin storage-confirmation list']],
    parameters: ['<copy id>'],
    flags: {
      ...adminFlags,
      attemptId: { type: 'text', description: 'Attempt as listed; refused when the copy has another one by now' },
      yes: { type: 'switch', description: 'Confirm that the copy may be paid twice for a while' },
    },
    load: () => import('./release-command.ts'),
  }),
  defineCommand({
    name: 'admin storage-confirmation release-attempt',
    summary: 'Let another attempt store all copies of an attempt that still need an operator; they may be paid twice for a while',
    examples: [['svc admin storage-confirmation release-attempt 7 --yes', 'By the attempt in svc admin storage-confirmation list']],
    parameters: ['<attempt id>'],
    flags: { ...adminFlags, yes: { type: 'switch', description: 'Confirm that the copies may be paid twice for a while' } },
    load: () => import('./release-attempt-command.ts'),
  }),
]
