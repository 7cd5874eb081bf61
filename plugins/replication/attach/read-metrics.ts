import { defineMetric } from '#kernel'
import { remoteReader } from '../services.ts'

export const readAheadMetric = defineMetric({
  name: 'svc_read_ahead_chunks_total',
  help: 'Chunks of packs, of 1 MiB, that were fetched before a read asked for them. Used: a read asked for it later; unused: it left the memory before.',
  type: 'counter',
  labels: ['outcome'],
  uses: { remoteReader },
  collect: async ({ remoteReader: { aheadCounts } }) =>
    (['used', 'unused'] as const).map((outcome) => ({ labels: { outcome }, value: aheadCounts[outcome] })),
})
