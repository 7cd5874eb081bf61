import { speedTestsMigration } from './0001-speed-tests.ts'

/** Sorted by execution. */
export const observabilityMigrations = [speedTestsMigration]
