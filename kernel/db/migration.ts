import type { Dialect } from './statement.ts'

/** A text in the SQL of both engines, or one for each; an engine without a text does nothing. */
export type MigrationText = string | Readonly<Partial<Record<Dialect, string>>>

/** One numbered step of a plugin's tables. Statements are written by hand and run in order, once, in one transaction. */
export interface Migration {
  /** Name such as `0001-init`. Never renamed once published. */
  readonly name: string
  /** Statements for SQLite. */
  readonly statements: readonly string[]
  readonly postgresStatements: readonly string[]
}

const namePattern = /^\d{4}-[a-z0-9-]+$/

/** Each statement is the same on both engines, or has a text for each. */
export function defineMigration(name: string, statements: readonly MigrationText[]): Migration {
  if (!namePattern.test(name)) throw new Error(`migration '${name}' must be named like '0001-init'`)
  return { name, statements: textsOn('sqlite', statements), postgresStatements: textsOn('postgres', statements) }
}

export const textsOn = (dialect: Dialect, texts: readonly MigrationText[]): readonly string[] =>
  texts.map((text) => (typeof text === 'string' ? text : text[dialect])).filter((text) => text !== undefined)

/** A migration from before PostgreSQL was supported: a later one creates its tables there. */
export const onlyOnSqlite = (migration: Migration): Migration => ({ ...migration, postgresStatements: [] })
