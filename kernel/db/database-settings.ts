import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isPostgres } from '../config/database-path.ts'
import { databaseSource } from '../config/path-rule.ts'
import { defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'

/** Returns the password as written and as sent, from both places that a postgres: URL has for it. */
function passwordOfDsn(dsn: string): readonly string[] {
  const url = URL.parse(dsn)
  const written = [url?.password, url?.search.match(/[?&]password=([^&]*)/)?.[1]].filter((text) => text !== undefined && text !== '')
  return [...new Set(written.flatMap((text) => [text as string, decoded(text as string)]))]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const databaseSection = defineSection('database', {
  doc: 'The metadata database.',
  keys: {
    driver: setting.choice(['sqlite', 'postgres'], {
      label: 'Driver',
      doc: 'Database engine. It must be that of `database.dsn`.',
      default: 'sqlite',
      written: true,
    }),
    dsn: setting.secret(
      {
        label: 'Data source',
        doc:
          'Path or file: URL of the SQLite database, or the postgres: URL of an empty database of PostgreSQL 15 or later. Keep SQLite on a ' +
          'local disk: some network file systems ignore the locks that exclude a second svc. Connections to another host use ' +
          '`sslmode=verify-full` unless the URL chooses another mode; a pooler before the server must be in session mode.',
        default: ({ dataDir }) => pathToFileURL(join(dataDir, 'db', 'svc.db')).href,
        written: true,
        // A path may appear in messages, the password of a server may not.
        secretParts: passwordOfDsn,
      },
      databaseSource,
    ),
    allow_unsafe: setting.flag({
      label: 'Allow an unsafe server',
      doc: 'Accept a PostgreSQL server with `fsync` or `full_page_writes` off, which loses confirmed writes in a crash. Only for tests.',
      default: false,
    }),
  },
  check: ({ driver, dsn }) =>
    isPostgres(dsn) === (driver === 'postgres')
      ? []
      : [{ key: 'driver', message: `must be '${isPostgres(dsn) ? 'postgres' : 'sqlite'}', the engine of database.dsn` }],
})
