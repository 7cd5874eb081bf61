import { fileURLToPath } from 'node:url'

export const isPostgres = (dsn: string): boolean => /^postgres(ql)?:/i.test(dsn)

/** The file that a DSN of SQLite names: a path, or a file: URL. */
export function databasePath(dsn: string): string {
  if (!dsn.startsWith('file:')) return dsn
  const url = new URL(dsn)
  return fileURLToPath(`file://${url.pathname}`)
}

/** The server and database of a postgres: URL for messages, without password and options. */
export function postgresName(dsn: string): string {
  const url = URL.parse(dsn)
  if (!url) return 'postgres: (invalid URL)'
  return `postgres://${url.username === '' ? '' : `${url.username}@`}${url.host}${url.pathname}`
}
