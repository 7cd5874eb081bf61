import { defineSection, duration, integer } from '#kernel'

export const observabilitySection = defineSection('chain.observability', {
  doc: 'Health checks of providers and data sets.',
  keys: {
    interval: duration({ label: 'Interval', doc: 'Time between two rounds of checks.', default: '5m', editable: true }),
    timeout: duration({ label: 'Timeout', doc: 'Timeout for one provider.', default: '5s', editable: true }),
    concurrency: integer({ label: 'Concurrency', doc: 'Providers checked concurrently.', default: 8, min: 1, editable: true }),
  },
})
