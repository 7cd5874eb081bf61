/** The tables of observability, for `npm run check`. */
import { seriesStepEntity } from './series/series-step-entity.ts'

export const observabilityEntities = [seriesStepEntity]
