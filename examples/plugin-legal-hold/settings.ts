import { defineSection, setting } from 'svc/kernel'

export const legalHoldSection = defineSection('legal_hold', {
  doc: 'Example plugin: keeps objects in the cache.',
  keys: {
    prefix: setting.text({ label: 'Prefix', doc: 'Cached bytes of keys with this prefix are not evicted.', default: 'legal/' }),
    data_sets: setting.list({ label: 'Data sets', doc: 'Local ids of data sets that must not be replaced.', default: [] }),
  },
})
