/** `npm run test:postgres -- plugins/storage`: the tests of these folders and files with PostgreSQL as their database. */
import { choosePostgres, hasPostgres } from '../kernel/testing/postgres.ts'

const folders = [
  'kernel/db',
  'kernel/tasks',
  'plugins/tasks',
  'plugins/storage',
  'plugins/replication',
  'plugins/replacement',
  'plugins/s3',
  'plugins/wallet',
]

if (hasPostgres()) {
  if (process.argv.length === 2) process.argv.push(...folders)
  // Not the project of tests that run on both engines: it would repeat them.
  process.argv.push('--project', 'computing')
  await choosePostgres()
  await import('./test.ts')
} else {
  process.stdout.write('skipped: PostgreSQL is not installed\n')
}
