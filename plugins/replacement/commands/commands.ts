import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'

const statuses = ['preparing_target', 'migrating', 'waiting', 'retiring', 'cleanup_attention', 'failed', 'completed', 'superseded'] as const

/** Commands of `svc admin replacement`. */
export const replacementCommands = [
  defineCommand({
    name: 'admin replacement providers',
    summary: 'List the providers that could take over the replica of a data set, and why others cannot',
    examples: [['svc admin replacement providers photos 17', 'The id of the data set is in svc admin bucket info photos --json']],
    parameters: ['<bucket>', '<data set>'],
    flags: adminFlags,
    load: () => import('./providers-command.ts'),
  }),
  defineCommand({
    name: 'admin replacement start',
    summary:
      'Move a replica to another provider: create a paid service there, copy the contents, and end the old service; svc admin cost --estimate shows the price',
    examples: [
      ['svc admin replacement start photos 17 --watch', 'At a provider that the bucket never used, with its progress'],
      ['svc admin replacement start photos 17 --provider 4', 'At provider 4; an unfinished replacement of the data set is superseded'],
    ],
    parameters: ['<bucket>', '<data set>'],
    flags: {
      ...adminFlags,
      provider: { type: 'text', description: 'Move to the provider with this id; default: svc chooses one that the bucket never used' },
      requestId: {
        type: 'text',
        description: 'Id of an earlier run of this command, which may have been interrupted: it is confirmed once',
      },
      watch: watchFlag,
    },
    load: () => import('./start-command.ts'),
  }),
  defineCommand({
    name: 'admin replacement list',
    summary: 'List replacements of providers, newest first',
    examples: [
      ['svc admin replacement list --watch', 'Follow them until Ctrl-C'],
      ['svc admin replacement list --status failed', 'Those that need a retry or another provider'],
    ],
    flags: {
      ...adminFlags,
      status: { type: statuses, description: 'Only replacements with this status' },
      bucket: { type: 'text', description: 'Only replacements of this bucket' },
      limit: { type: 'number', max: 100, description: 'Replacements to show, 1 to 100; default 50' },
      cursor: { type: 'number', max: Number.MAX_SAFE_INTEGER, description: 'Continue behind the replacement with this id' },
      watch: watchFlag,
    },
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin replacement show',
    summary: 'Show a replacement with its progress and what it waits for',
    examples: [['svc admin replacement show 3 --watch', 'Follow it to its end']],
    parameters: ['<id>'],
    flags: { ...adminFlags, watch: watchFlag },
    load: () => import('./show-command.ts'),
  }),
  defineCommand({
    name: 'admin replacement retry',
    summary: 'Resume a replacement that failed, or whose cleanup needs an operator, at the same provider',
    examples: [['svc admin replacement retry 3 --watch', 'After the cause in its last error is gone']],
    parameters: ['<id>'],
    flags: { ...adminFlags, watch: watchFlag },
    load: () => import('./retry-command.ts'),
  }),
]
