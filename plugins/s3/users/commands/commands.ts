import { adminFlags } from '#cli'
import { defineCommand } from '#kernel'
import { s3Roles } from '../../contract.ts'

const roleMeaning = 'user: its own buckets; userplus: may also create buckets; admin: full access to every bucket'

const limitMeaning = 'a number, none, or default: as in the settings'

/** The commands of `svc admin s3-user`. */
export const userCommands = [
  defineCommand({
    name: 'admin s3-user list',
    summary: 'List the S3 users with their roles and number of buckets',
    examples: [['svc admin s3-user list', 'Access keys only; secret keys cannot be shown again']],
    flags: adminFlags,
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user create',
    summary: 'Create an S3 user and print its secret key, once',
    examples: [
      ['svc admin s3-user create', 'Role userplus: it may create buckets'],
      ['svc admin s3-user create --role admin --yes', 'Full access to every bucket; needs --yes'],
    ],
    flags: {
      ...adminFlags,
      role: { type: s3Roles, description: `${roleMeaning}; default userplus` },
      yes: { type: 'switch', description: 'Confirm the role admin' },
    },
    load: () => import('./create-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user update',
    summary: 'Change the role of an S3 user, effective from its next request',
    examples: [
      ['svc admin s3-user update Q3bXk0r9T2mZ5vYw8LsNaA --role user', 'It may no longer create buckets'],
      ['svc admin s3-user update Q3bXk0r9T2mZ5vYw8LsNaA --role admin --yes', 'The role admin needs --yes'],
    ],
    parameters: ['<access key>'],
    flags: {
      ...adminFlags,
      role: { type: s3Roles, description: roleMeaning, required: true },
      yes: { type: 'switch', description: 'Confirm the role admin' },
    },
    load: () => import('./update-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user limits',
    summary: 'Show the limits and the usage of an S3 user or in total, or set limits for one user alone',
    examples: [
      ['svc admin s3-user limits', 'What all buckets hold, and the total limits'],
      ['svc admin s3-user limits Q3bXk0r9T2mZ5vYw8LsNaA', 'What it stores, and how much it may store'],
      ['svc admin s3-user limits Q3bXk0r9T2mZ5vYw8LsNaA --buckets 5 --bytes 1000000000', 'At most 5 buckets and 1 GB'],
      ['svc admin s3-user limits Q3bXk0r9T2mZ5vYw8LsNaA --buckets none --bytes default', 'Any number of buckets; bytes as in the settings'],
    ],
    parameters: ['[access key]'],
    flags: {
      ...adminFlags,
      buckets: { type: 'text', description: `Buckets; ${limitMeaning}` },
      objects: { type: 'text', description: `Object versions; ${limitMeaning}` },
      bytes: { type: 'text', description: `Bytes of all object versions; ${limitMeaning}` },
      dataSetsPerDay: { type: 'text', description: `Copies of the buckets that it creates in a day (UTC); ${limitMeaning}` },
    },
    load: () => import('./limits-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user rotate-secret',
    summary: 'Replace the secret key of an S3 user and print it, once',
    examples: [['svc admin s3-user rotate-secret Q3bXk0r9T2mZ5vYw8LsNaA', 'The old key stops working immediately: update the clients']],
    parameters: ['<access key>'],
    flags: adminFlags,
    load: () => import('./rotate-secret-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user delete',
    summary: 'Delete an S3 user that owns no buckets',
    examples: [['svc admin s3-user delete Q3bXk0r9T2mZ5vYw8LsNaA --yes', 'Irreversible']],
    parameters: ['<access key>'],
    flags: { ...adminFlags, yes: { type: 'switch', description: 'Confirm the deletion' } },
    load: () => import('./delete-command.ts'),
  }),
]
