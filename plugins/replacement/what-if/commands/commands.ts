import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'

export const whatIfCommands = [
  defineCommand({
    name: 'admin replacement what-if',
    summary: 'Show what would be at risk if a provider were gone, and what healing it would cost; nothing is changed',
    examples: [
      ['svc admin replacement what-if 4', 'By the id in svc provider list'],
      ['svc admin replacement what-if 4 --timeout 60s', 'With millions of objects'],
    ],
    parameters: ['<provider id>'],
    flags: adminFlags,
    load: () => import('./what-if-command.ts'),
  }),
]
