/** Limits of concurrent runs for work at providers. */
import { defineLane, defineSection, setting } from '#kernel'

/** Keys of the table `worker.tasks`, beside those of the kernel. */
export const laneSection = defineSection('worker.tasks', {
  doc: 'Background tasks at providers.',
  keys: {
    provider_mutation_concurrency: setting.integer({
      label: 'Paid work',
      doc: 'Tasks at the same time that spend money or change something at a provider: data sets, transfers between providers, commits.',
      default: 4,
      min: 1,
      editable: true,
      risk: 'review',
    }),
    destructive_mutation_concurrency: setting.integer({
      label: 'Removals',
      doc: 'Tasks at the same time that remove something from a provider.',
      default: 2,
      min: 1,
      editable: true,
      risk: 'review',
    }),
  },
})

export const lanes = [
  defineLane({
    name: 'provider-mutation',
    uses: { lanes: laneSection.settings },
    concurrency: ({ lanes }) => lanes.provider_mutation_concurrency,
  }),
  defineLane({
    name: 'destructive',
    uses: { lanes: laneSection.settings },
    concurrency: ({ lanes }) => lanes.destructive_mutation_concurrency,
  }),
]
