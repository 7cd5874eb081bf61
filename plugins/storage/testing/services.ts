/** Services that tests of the whole product look into. */
export { cache } from '../services.ts'
