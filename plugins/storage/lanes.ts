import { defineLane } from '#kernel'
import { workerSection } from '#kernel/system'

/** Limits of concurrent runs for work at providers. */
export const storageLanes = [
  defineLane({
    name: 'provider-mutation',
    uses: { worker: workerSection.settings },
    concurrency: ({ worker }) => worker.provider_mutation_concurrency,
  }),
  defineLane({
    name: 'destructive',
    uses: { worker: workerSection.settings },
    concurrency: ({ worker }) => worker.destructive_mutation_concurrency,
  }),
]
