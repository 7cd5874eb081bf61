import { adminFlags } from '#cli'
import { defineCommand, type FlagSpec } from '#kernel'

const copies = { type: 'number', max: 8, description: 'Copies of each later upload, 1 to 8' } as const satisfies FlagSpec
const minimumCopies = {
  type: 'number',
  max: 8,
  description: 'Copies that must be stored before the cached bytes may be evicted',
} as const satisfies FlagSpec

/** Commands of `svc admin bucket`. */
export const bucketCommands = [
  defineCommand({
    name: 'admin bucket list',
    summary: 'List the buckets with owner, copies, objects and size',
    examples: [['svc admin bucket list', 'In order of name']],
    flags: adminFlags,
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket create',
    summary: 'Create a bucket',
    examples: [
      ['svc admin bucket create photos', 'Owned by the service itself, with the configured number of copies'],
      ['svc admin bucket create photos --owner Q3bXk0r9T2mZ5vYw8LsNaA --copies 3', 'Owned by an S3 user'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      owner: { type: 'text', description: 'Access key of the S3 user that owns it', default: '__internal_root__' },
      copies: { ...copies, description: `${copies.description}; default chain.default_copies` },
      minimumCopies: { ...minimumCopies, description: `${minimumCopies.description}; default chain.default_minimum_durable_copies` },
    },
    load: () => import('./create-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket info',
    summary: 'Show a bucket with its data sets',
    examples: [['svc admin bucket info photos', 'Owner, copies, objects, and the provider of each slot']],
    parameters: ['<bucket>'],
    flags: adminFlags,
    load: () => import('./info-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket policy',
    summary: 'Show or change the number of copies of a bucket',
    examples: [
      ['svc admin bucket policy photos', 'Show it'],
      ['svc admin bucket policy photos --copies 4', 'Raise the copies of later uploads; they cannot be lowered'],
      ['svc admin bucket policy photos --minimum-copies 1 --yes', 'Lowering the minimum needs a confirmation'],
    ],
    parameters: ['<bucket>'],
    flags: {
      ...adminFlags,
      copies,
      minimumCopies,
      yes: { type: 'switch', description: 'Confirm a lower minimum: cached bytes are then evicted with fewer copies stored' },
    },
    load: () => import('./policy-command.ts'),
  }),
  defineCommand({
    name: 'admin bucket owner',
    summary: 'Give a bucket to another S3 user',
    examples: [
      ['svc admin bucket owner photos Q3bXk0r9T2mZ5vYw8LsNaA', 'To the user with this access key'],
      ['svc admin bucket owner photos __internal_root__', 'To the service itself'],
    ],
    parameters: ['<bucket>', '<access key>'],
    flags: adminFlags,
    load: () => import('./owner-command.ts'),
  }),
]
