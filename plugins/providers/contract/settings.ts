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

/** Reads of remote copies that observability makes. */
export const samplesSection = defineSection('chain.samples', {
  doc: 'Random remote copies that are read from their providers and compared.',
  keys: {
    copies_per_million_daily: setting.integer({
      label: 'Sampled copies',
      doc: 'Copies per million that are read each day; 1000 is 0.1 %, 0 turns the samples off. Copies in doubt are checked all the same.',
      default: 1000,
      min: 0,
      max: 1_000_000,
      editable: true,
    }),
    gib_daily: setting.integer({
      label: 'Sampled bytes',
      doc: 'GiB that the samples read from providers within a day at most; checks of copies in doubt have as many again.',
      default: 10,
      min: 1,
      max: 1_000_000,
      editable: true,
    }),
  },
})
