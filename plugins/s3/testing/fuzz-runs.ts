/** How many runs a property or fuzz test makes: few in the suite, more with `npm run fuzz`. */
import { assert, type IAsyncProperty } from 'fast-check'

/** Runs of the suite are the same every time: a random failure belongs in `npm run fuzz`. */
const suiteSeed = 20_261_123
/** Time after the first failure in which the suite searches for a shorter failing case; that found so far is reported. */
const shrinkMsMax = 60_000

/**
 * Makes the runs of the property. `runs`: those of the suite. `SVC_FUZZ_FACTOR` multiplies them and `SVC_FUZZ_SEED` sets the seed; a failure
 * prints the seed.
 */
export async function assertRuns<Values>(property: IAsyncProperty<Values>, runs: number): Promise<void> {
  const { SVC_FUZZ_FACTOR: factor, SVC_FUZZ_SEED: seed } = process.env
  if (factor === undefined) return assert(limitShrinking(property), { numRuns: runs, seed: suiteSeed })
  await assert(property, { numRuns: runs * Number(factor), ...(seed !== undefined && { seed: Number(seed) }) })
}

/**
 * Once the time is over, further cases count as passed. A time limit of fast-check would also end the test while a run is in progress, which
 * then goes on beside the checks of the test, or after fewer runs without a failure.
 */
function limitShrinking<Values>(property: IAsyncProperty<Values>): IAsyncProperty<Values> {
  let failedMs = Number.POSITIVE_INFINITY
  return {
    isAsync: () => true,
    generate: (random, run) => property.generate(random, run),
    shrink: (value) => property.shrink(value),
    runBeforeEach: () => property.runBeforeEach(),
    runAfterEach: () => property.runAfterEach(),
    async run(value) {
      if (Date.now() - failedMs > shrinkMsMax) return null
      const failure = await property.run(value)
      if (failure !== null) failedMs = Math.min(failedMs, Date.now())
      return failure
    },
  }
}
