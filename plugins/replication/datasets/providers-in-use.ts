import { database } from '#kernel'
import { defineProviderKnowledge } from '#plugins/wallet'
import { countLoad } from './load-store.ts'

/** Providers whose data sets have not ended: existing buckets depend on them, however many others there are. */
export const providersInUse = defineProviderKnowledge({
  name: 'providers-in-use',
  uses: { database },
  read: async ({ database }) => ({ inUse: new Set((await countLoad(database.read)).keys()) }),
})
