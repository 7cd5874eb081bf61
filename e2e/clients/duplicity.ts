import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client, Round } from './client.ts'
import { shell } from './languages/languages.ts'
import { digestsIn, folder, requireEqual } from './round-files.ts'
import { makeBucket, prints } from './steps.ts'

const requireRestored = async ({ dir }: Round) =>
  requireEqual('the restored folder', digestsIn(join(dir, 'back')), digestsIn(join(dir, folder)))

export const duplicity: Client = {
  name: 'duplicity',
  program: { name: 'duplicity', versionArgs: ['--version'], version: /^duplicity [1-9]/ },
  needsAnySize: 'an incremental backup without changes writes a file below 127 bytes',
  language: shell,
  settings: `\
export PASSPHRASE='choose a long one'
target="--s3-endpoint-url $AWS_ENDPOINT_URL boto3+s3://photos/backup"`,
  steps: [
    {
      name: 'back up',
      commands: 'duplicity full files $target',
      before: makeBucket,
      check: prints(/Errors 0/),
    },
    {
      name: 'back up changes',
      commands: 'duplicity incremental files $target',
      before: async ({ dir }) => writeFileSync(join(dir, folder, 'newer.txt'), 'one small change'),
      check: prints(/NewFiles 1|ChangedFiles [1-9]|NewFiles [1-9]/),
    },
    { name: 'list', commands: 'duplicity list-current-files $target', check: prints(/newer\.txt/) },
    { name: 'verify', commands: 'duplicity verify $target files', check: prints(/ 0 difference(s|\(s\)) found/) },
    { name: 'restore', commands: 'duplicity restore $target back', check: requireRestored },
  ],
}
