/** The tables of observability, for `npm run check`. */
import { seriesStepEntity } from './series/series-step-entity.ts'
import { speedTestEntity } from './speed-tests/speed-test-entity.ts'

export const observabilityEntities = [speedTestEntity, seriesStepEntity]
