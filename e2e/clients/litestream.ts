import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Client, Round } from './client.ts'
import { shell } from './languages/languages.ts'
import { listKeys, requireEqual } from './round-files.ts'
import { makeBucket, prints } from './steps.ts'

/** Writes as the application would. */
async function addPhoto({ dir }: Round, name: string): Promise<void> {
  using database = new DatabaseSync(join(dir, 'app.db'))
  database.exec('pragma journal_mode = wal; create table if not exists photos (name)')
  database.prepare('insert into photos values (?)').run(name)
}

const requireFiles = (least: number) => async (round: Round) => {
  const { size } = await listKeys(round, 'app/')
  if (size < least) throw new Error(`there are ${size} files in the bucket, fewer than ${least}`)
}

async function requireRestored({ dir }: Round): Promise<void> {
  using database = new DatabaseSync(join(dir, 'back.db'))
  requireEqual('the table', database.prepare('select name from photos').all(), [{ name: 'first' }, { name: 'second' }])
}

export const litestream: Client = {
  name: 'litestream',
  program: { name: 'litestream', versionArgs: ['version'], version: /^v?0\.5\./ },
  language: shell,
  settings: `\
cat > litestream.yml <<END
dbs:
  - path: app.db
    replica:
      type: s3
      bucket: photos
      path: app
      endpoint: $AWS_ENDPOINT_URL
      region: $AWS_REGION
      force-path-style: true
END`,
  steps: [
    {
      name: 'replicate once',
      commands: 'litestream replicate -config litestream.yml -once',
      async before(round) {
        await makeBucket(round)
        await addPhoto(round, 'first')
      },
      check: requireFiles(1),
    },
    {
      name: 'replicate while an application runs',
      commands: "litestream replicate -config litestream.yml -exec 'sleep 3'",
      before: (round) => addPhoto(round, 'second'),
      check: requireFiles(2),
    },
    { name: 'list', commands: 'litestream ltx -config litestream.yml app.db', check: prints(/0000000000000002/) },
    { name: 'restore', commands: 'litestream restore -config litestream.yml -o back.db app.db', check: requireRestored },
  ],
}
