import { join } from 'node:path'
import type { Client, Round } from './client.ts'
import { shell } from './languages/languages.ts'
import { digestsIn, folder, requireEqual } from './round-files.ts'
import { prints } from './steps.ts'

const requireRestored = async ({ dir }: Round) =>
  requireEqual('the restored folder', digestsIn(join(dir, 'back', folder)), digestsIn(join(dir, folder)))

export const restic: Client = {
  name: 'restic',
  program: { name: 'restic', versionArgs: ['version'], version: /^restic \d/ },
  language: shell,
  settings: `\
export RESTIC_REPOSITORY=s3:$AWS_ENDPOINT_URL/photos
export RESTIC_PASSWORD='choose a long one'`,
  steps: [
    { name: 'make a repository and its bucket', commands: 'restic init', check: prints(/created/) },
    { name: 'back up', commands: 'restic backup files parts.bin', check: prints(/snapshot \w+ saved/) },
    { name: 'back up again', commands: 'restic backup files', check: prints(/snapshot \w+ saved/) },
    { name: 'list', commands: 'restic snapshots', check: prints(/2 snapshots/) },
    { name: 'verify all bytes', commands: 'restic check --read-data', check: prints(/no errors were found/) },
    { name: 'restore', commands: 'restic restore latest --target back', check: requireRestored },
    {
      name: 'delete old backups',
      commands: 'restic forget --keep-last 1 --prune --group-by host',
      check: prints(/remove 1 snapshots/),
    },
    { name: 'verify after the deletion', commands: 'restic check --read-data', check: prints(/no errors/) },
  ],
}
