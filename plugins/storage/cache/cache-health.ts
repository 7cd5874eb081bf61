import { stat } from 'node:fs/promises'
import { defineHealthCheck } from '#kernel'
import { cacheSection } from '../settings.ts'
import { isMissing } from './disk.ts'

/** The cache is healthy while its directory can be seen: an unmounted disk is noticed here first. */
export const cacheHealth = defineHealthCheck({
  name: 'cache',
  uses: { settings: cacheSection.settings },
  async check({ settings }) {
    try {
      const found = await stat(settings.dir)
      return found.isDirectory() ? undefined : 'cache: not a directory'
    } catch (error) {
      if (isMissing(error)) return 'cache: directory not found'
      // Its text names a path, which only the log may show.
      throw error
    }
  },
})
