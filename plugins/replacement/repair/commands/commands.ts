import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'

export const repairCommands = [
  defineCommand({
    name: 'admin repair list',
    summary: 'List the decisions of the automatic repair with their reasons, and lost contents, newest first',
    examples: [
      ['svc admin repair list', 'The newest decisions, and how far the limit of the day is used'],
      ['svc admin repair list --watch', 'Follow the list until Ctrl-C'],
    ],
    flags: {
      ...adminFlags,
      limit: { type: 'number', max: 200, description: 'Decisions to show, 1 to 200; default 50' },
      before: { type: 'number', max: Number.MAX_SAFE_INTEGER, description: 'Only decisions with a lower id' },
      watch: watchFlag,
    },
    load: () => import('./list-command.ts'),
  }),
]
