/** One numbered step of a plugin's tables. Statements are written by hand and run in order, once, in one transaction. */
export interface Migration {
  /** Such as `0001-init`. Never renamed once published. */
  readonly name: string
  readonly statements: readonly string[]
}

const namePattern = /^\d{4}-[a-z0-9-]+$/

export function defineMigration(name: string, statements: readonly string[]): Migration {
  if (!namePattern.test(name)) throw new Error(`migration '${name}' must be named like '0001-init'`)
  return { name, statements }
}
