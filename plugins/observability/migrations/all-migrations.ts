import { speedTestsMigration } from './0001-speed-tests.ts'
import { dataSetsMigration } from './0003-data-sets.ts'
import { samplesMigration } from './0004-samples.ts'
import { seriesStepsMigration } from './0006-series-steps.ts'
import { doubtSamplesMigration } from './0007-doubt-samples.ts'
import { settledMissesMigration } from './0008-settled-misses.ts'

/** Sorted by execution. */
export const observabilityMigrations = [
  speedTestsMigration,
  dataSetsMigration,
  samplesMigration,
  seriesStepsMigration,
  doubtSamplesMigration,
  settledMissesMigration,
]
