import { defineMemoryPart, type MemoryUse } from '../metrics/metrics.ts'
import { database } from './database.ts'

/** SQLite does not report how much of its page caches is in use. */
export const databaseMemory = defineMemoryPart({
  name: 'database',
  uses: { database },
  read({ database }): Readonly<Record<string, MemoryUse>> {
    const pageBytesMax = database.memory?.().pageBytesMax
    return pageBytesMax === undefined ? {} : { database_pages: { budgetBytes: pageBytesMax, usedBytes: undefined } }
  },
})
