/** How many runs a property or fuzz test makes: few in the suite, more with `npm run fuzz`. */
import type { Parameters } from 'fast-check'

/** Runs of the suite are the same every time: a random failure belongs in `npm run fuzz`. */
const suiteSeed = 20_261_123
/** Ends a long search for a shorter failing case; the case found so far is reported. */
const shrinkMsMax = 60_000

/** `runs`: those of the suite. `SVC_FUZZ_FACTOR` multiplies them and `SVC_FUZZ_SEED` sets the seed; a failure prints the seed. */
export function fuzzRuns(runs: number): Pick<Parameters<unknown>, 'numRuns' | 'seed' | 'interruptAfterTimeLimit'> {
  const { SVC_FUZZ_FACTOR: factor, SVC_FUZZ_SEED: seed } = process.env
  return factor === undefined
    ? { numRuns: runs, seed: suiteSeed, interruptAfterTimeLimit: shrinkMsMax }
    : { numRuns: runs * Number(factor), ...(seed !== undefined && { seed: Number(seed) }) }
}
