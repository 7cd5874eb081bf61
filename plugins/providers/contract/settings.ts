/** Settings of this plugin, in one file: every command loads it. */
import { defineLane, defineSection, setting } from '#kernel'

/** How often and how providers, and the data sets at them, are checked. */
export const observabilitySection = defineSection('chain.observability', {
  doc: 'Health checks of providers and data sets.',
  keys: {
    interval: setting.duration({
      label: 'Interval',
      doc: 'Time between two rounds of checks. A result is stale when it is older than two intervals.',
      default: '5m',
      editable: true,
    }),
    timeout: setting.duration({ label: 'Timeout', doc: 'Timeout for one provider.', default: '5s', editable: true }),
    concurrency: setting.integer({ label: 'Concurrency', doc: 'Providers checked concurrently.', default: 8, min: 1, editable: true }),
  },
})

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

/** Limits of concurrent runs for work at providers. */
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
