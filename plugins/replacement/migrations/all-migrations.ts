import { replacementsMigration } from './0001-replacements.ts'
import { repairsMigration } from './0021-repairs.ts'

/** Sorted by execution. */
export const replacementMigrations = [replacementsMigration, repairsMigration]
