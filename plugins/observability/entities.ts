/** The tables of observability, for `npm run check`. */
import { speedTestEntity } from './speed-tests/speed-test-entity.ts'

export const observabilityEntities = [speedTestEntity]
