import type { Clock } from '../core/clock.ts'
import type { LockWait } from '../lock/lock-wait.ts'
import type { Database } from './database.ts'
import type { Migration } from './migration.ts'
import type { OrphanListener } from './orphans.ts'
import type { WriteFaultListener } from './write-fault.ts'

export interface NamedMigrations {
  readonly name: string
  readonly migrations: readonly Migration[]
}

export interface OpenDatabase extends Database, AsyncDisposable {
  /** Applies pending migrations and returns their names, such as `storage/0001-init`. */
  migrate(): Promise<readonly string[]>
  pendingMigrations(): Promise<readonly string[]>
}

export interface OpenRequest {
  /** A path or file: URL of an SQLite database, or a postgres: URL. */
  readonly dsn: string
  readonly schemas: readonly NamedMigrations[]
  /** Schemas of disabled plugins, whose tables stay unchanged. */
  readonly otherSchemas?: readonly NamedMigrations[]
  readonly onWriteFault?: WriteFaultListener
  /** Told of rows that a migration set aside. */
  readonly onOrphans?: OrphanListener | undefined
  /** Replaces the clock of the database. */
  readonly clock?: Clock | undefined
  /** Accepts a PostgreSQL server that may lose writes that it confirmed. */
  readonly allowsUnsafe?: boolean | undefined
  /** Told of what is accepted but not safe. */
  readonly onWarning?: ((text: string) => void) | undefined
  /** Called once, when another svc has taken the PostgreSQL database, or the outcome of a commit is not known: what this process keeps in memory may be stale, and it must end. */
  readonly onStale?: ((error: Error) => void) | undefined
  /** How long to wait while another svc uses a PostgreSQL database. The file of SQLite is locked by `lockData`. */
  readonly lockWait?: LockWait | undefined
}
