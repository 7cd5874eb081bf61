import { seriesStepsMigration } from './0006-series-steps.ts'

/** In order of execution. */
export const observabilityMigrations = [seriesStepsMigration]
