import { speedTestsMigration } from './0001-speed-tests.ts'

/** In order of execution. */
export const observabilityMigrations = [speedTestsMigration]
