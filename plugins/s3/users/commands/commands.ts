import { adminFlags, defineCommand } from '#kernel'
import { s3Roles } from '../../contract.ts'

const roleMeaning = 'user: its own buckets; userplus: may also create some; admin: everything in every bucket'

/** What `svc admin s3-user` offers. */
export const userCommands = [
  defineCommand({
    name: 'admin s3-user list',
    summary: 'List the S3 users with their roles and how many buckets each owns',
    examples: [['svc admin s3-user list', 'Access keys only: secrets are never shown again']],
    flags: adminFlags,
    load: () => import('./list-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user create',
    summary: 'Create an S3 user and show its secret key, once',
    examples: [
      ['svc admin s3-user create', 'A userplus: it creates buckets and works in them'],
      ['svc admin s3-user create --role admin --yes', 'One that may do everything needs a confirmation'],
    ],
    flags: {
      ...adminFlags,
      role: { type: s3Roles, description: `${roleMeaning}; else userplus` },
      yes: { type: 'switch', description: 'Confirm the role admin' },
    },
    load: () => import('./create-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user update',
    summary: 'Give an S3 user another role; it counts from its next request on',
    examples: [
      ['svc admin s3-user update Q3bXk0r9T2mZ5vYw8LsNaA --role user', 'It creates no buckets any more'],
      ['svc admin s3-user update Q3bXk0r9T2mZ5vYw8LsNaA --role admin --yes', 'The role admin needs a confirmation'],
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
    name: 'admin s3-user rotate-secret',
    summary: 'Give an S3 user a new secret key, shown once; the old one is refused at once',
    examples: [['svc admin s3-user rotate-secret Q3bXk0r9T2mZ5vYw8LsNaA', 'Change it at the clients in the same minute']],
    parameters: ['<access key>'],
    flags: adminFlags,
    load: () => import('./rotate-secret-command.ts'),
  }),
  defineCommand({
    name: 'admin s3-user delete',
    summary: 'Delete an S3 user that owns no bucket',
    examples: [['svc admin s3-user delete Q3bXk0r9T2mZ5vYw8LsNaA --yes', 'There is no way back']],
    parameters: ['<access key>'],
    flags: { ...adminFlags, yes: { type: 'switch', description: 'Confirm the deletion' } },
    load: () => import('./delete-command.ts'),
  }),
]
