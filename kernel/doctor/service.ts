import { defineService } from '../core/service.ts'
import type { Reader } from '../db/database.ts'
import type { MigrationState } from '../db/migrations.ts'
import type { DoctorCheck, LookPage } from './check.ts'

export type CheckInfo = Pick<DoctorCheck, 'name' | 'title' | 'proves' | 'cost' | 'needs'>

export interface LookRequest {
  readonly after?: string | undefined
  readonly sample?: number | undefined
}

/** Runs the checks of all plugins page by page, and the fixes. */
export interface Doctor {
  checks(): readonly CheckInfo[]
  /** One page of a check. Rejects with `doctor_check_late` or `doctor_check_failed`: then it is not known whether something is damaged. */
  look(name: string, request: LookRequest): Promise<LookPage>
  /** Returns whether the fix changed something. */
  fix(name: string, target: string): Promise<boolean>
}

export const doctor = defineService<Doctor>('kernel.doctor')

interface PlaceDirectory {
  readonly label: string
  readonly path: string
  /** Names of the folders in it in which files are created. */
  readonly folders: readonly string[]
}

/** Where `svc plugins build` writes. */
interface PlaceDashboard {
  readonly folder: string
  /** Enabled plugins with a part in the dashboard. */
  readonly enabled: readonly string[]
  /** All plugins that the configuration names: a build has the parts of disabled ones too. */
  readonly known: readonly string[]
}

/** Files and directories of the service. */
export interface Places {
  readonly configPath: string
  /** File of the SQLite database; undefined on PostgreSQL. */
  readonly databasePath: string | undefined
  /** Files with secrets that settings name. They may belong to another user than that of svc. */
  readonly secretFiles: readonly string[]
  /** Directories that plugins own, such as the cache. */
  readonly directories: readonly PlaceDirectory[]
  readonly dashboard: PlaceDashboard
}

export const places = defineService<Places>('kernel.places')

/** Compares the migrations of the database with those of the plugins. */
export const migrationState = defineService<(read: Reader) => Promise<MigrationState>>('kernel.migration-state')
