import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'

export const raiseCommands = [
  defineCommand({
    name: 'admin bucket raise',
    summary:
      'Bring objects stored with fewer copies up to the present number of copies of the bucket; without --yes only show what it costs',
    examples: [
      ['svc admin bucket raise photos', 'How many contents lack copies, their bytes, the cost, and the newest raise'],
      ['svc admin bucket raise photos --yes', 'Raise them at the prices of the moment'],
      ['svc admin bucket raise photos --yes --request-id monthly-1', 'A repetition of the request changes nothing'],
      ['svc admin bucket raise photos --watch', 'Follow the newest raise until Ctrl-C'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      watch: watchFlag,
      yes: { type: 'switch', description: 'Raise, if the prices are still those of the preview, or of --price-list' },
      requestId: { type: 'text', description: 'Identifies the request; default: a new one' },
    },
    load: () => import('./raise-command.ts'),
  }),
]
