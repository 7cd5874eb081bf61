import { defineHealthCheck } from '#kernel'
import { cache } from '../services.ts'

/** Healthy while the folder of the cache is the recorded one and can be written: detects an unmounted, another or a read-only disk. */
export const cacheHealth = defineHealthCheck({
  name: 'cache',
  uses: { cache },
  async check({ cache }) {
    const problem = await cache.writeProblem()
    return problem && `cache: ${problem}`
  },
})
