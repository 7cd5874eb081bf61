import { adminFlags, watchFlag } from '#cli'
import { defineCommand } from '#kernel'

/** Commands of `svc admin pack`. */
export const packCommands = [
  defineCommand({
    name: 'admin pack list',
    summary: 'List packs, newest first, and what waits for a pack',
    examples: [
      ['svc admin pack list', 'Packs of all buckets'],
      ['svc admin pack list --bucket logs --watch', 'Follow one bucket until Ctrl-C'],
    ],
    flags: {
      ...adminFlags,
      bucket: { type: 'text', description: 'Only this bucket' },
      limit: { type: 'number', max: 1000, description: 'Packs to show, 1 to 1000; default 100' },
      watch: watchFlag,
    },
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin pack show',
    summary: 'Show a pack with its first objects',
    examples: [['svc admin pack show 42', 'By the id in svc admin pack list']],
    parameters: ['<id>'],
    flags: adminFlags,
    load: () => import('./show-command.ts'),
  }),
  defineCommand({
    name: 'admin pack seal',
    summary: 'Seal what waits for a pack in a bucket now, such as before a planned stop',
    examples: [['svc admin pack seal logs', 'A pack costs the same whatever its size']],
    parameters: ['<bucket>'],
    flags: adminFlags,
    load: () => import('./seal-command.ts'),
  }),
  defineCommand({
    name: 'admin pack compact',
    summary: 'Replace a pack by one without the bytes of deleted objects; without --yes only show what that costs and saves',
    examples: [['svc admin pack compact 42 --yes', 'Also when it does not pay, such as to erase the bytes']],
    parameters: ['<id>'],
    flags: { ...adminFlags, yes: { type: 'switch', description: 'Replace it' } },
    load: () => import('./compact-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket pack',
    summary: 'Pack the small objects of a bucket that are stored already; without --yes only show what that costs and saves',
    examples: [['svc admin bucket pack logs --yes', 'Their single pieces are removed when the packs have all copies']],
    parameters: ['<bucket>'],
    flags: { ...adminFlags, yes: { type: 'switch', description: 'Pack them' } },
    load: () => import('./pack-stored-command.ts'),
  }),
  defineCommand({
    name: 'admin pack policy',
    summary: 'Choose whether small objects of a bucket are packed from now on',
    examples: [
      ['svc admin pack policy logs small', 'Objects up to packs.object_bytes_max share pieces'],
      ['svc admin pack policy logs off', 'Each new object is a piece; what is packed stays'],
    ],
    parameters: ['<bucket>', '<packing>'],
    flags: {
      ...adminFlags,
      'erase-within-days': {
        type: 'number',
        max: 3650,
        description: 'Erase bytes of deleted objects within so many days; 0: when that pays',
      },
    },
    load: () => import('./policy-command.ts'),
  }),
]
