import { speedTestsMigration } from './0001-speed-tests.ts'
import { dataSetsMigration } from './0003-data-sets.ts'

/** Sorted by execution. */
export const observabilityMigrations = [speedTestsMigration, dataSetsMigration]
