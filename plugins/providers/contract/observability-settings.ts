import { defineSection, setting } from '#kernel'

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
