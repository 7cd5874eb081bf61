/** The tables of observability, for `npm run check`. */
import { checkRoundEntity } from './data-sets/check-round-entity.ts'
import { dataSetObservationEntity } from './data-sets/data-set-observation-entity.ts'
import { provingPeriodEntity } from './data-sets/proving-period-entity.ts'
import { copySampleEntity } from './samples/copy-sample-entity.ts'
import { sampleRunEntity } from './samples/sample-run-entity.ts'
import { seriesStepEntity } from './series/series-step-entity.ts'
import { speedTestEntity } from './speed-tests/speed-test-entity.ts'

export const observabilityEntities = [
  speedTestEntity,
  dataSetObservationEntity,
  provingPeriodEntity,
  checkRoundEntity,
  copySampleEntity,
  sampleRunEntity,
  seriesStepEntity,
]
