import { stat } from 'node:fs/promises'
import { defineHealthCheck } from '#kernel'
import { cacheSection } from '../settings.ts'
import { isMissing } from './disk.ts'

/** Healthy while the cache directory exists: detects an unmounted disk. */
export const cacheHealth = defineHealthCheck({
  name: 'cache',
  uses: { settings: cacheSection.settings },
  async check({ settings }) {
    try {
      const found = await stat(settings.dir)
      return found.isDirectory() ? undefined : 'cache: not a directory'
    } catch (error) {
      if (isMissing(error)) return 'cache: directory not found'
      // Thrown, not returned: the error text contains a path, which only the log may show.
      throw error
    }
  },
})
