import { speedTestsMigration } from './0001-speed-tests.ts'
import { seriesStepsMigration } from './0006-series-steps.ts'

/** Sorted by execution. */
export const observabilityMigrations = [speedTestsMigration, seriesStepsMigration]
