import type { SqlText } from './statement.ts'

/** One numbered step of a plugin's tables. Statements are written by hand and run in order, once, in one transaction. */
export interface Migration {
  /** Such as `0001-init`. Never renamed once published. */
  readonly name: string
  /** On SQLite. */
  readonly statements: readonly string[]
  readonly postgresStatements: readonly string[]
}

const namePattern = /^\d{4}-[a-z0-9-]+$/

/** Each statement is the same on both engines, or has a text for each. */
export function defineMigration(name: string, statements: readonly SqlText[]): Migration {
  if (!namePattern.test(name)) throw new Error(`migration '${name}' must be named like '0001-init'`)
  const on = (dialect: 'sqlite' | 'postgres') => statements.map((text) => (typeof text === 'string' ? text : text[dialect]))
  return { name, statements: on('sqlite'), postgresStatements: on('postgres') }
}
