import { fileURLToPath } from 'node:url'

/** The file that a DSN names: a path, or a file: URL. */
export function databasePath(dsn: string): string {
  if (!dsn.startsWith('file:')) return dsn
  const url = new URL(dsn)
  return fileURLToPath(`file://${url.pathname}`)
}
