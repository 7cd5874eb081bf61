import { defineSection, setting } from '#kernel'

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
      doc: 'GiB that the samples read from providers within a day at most.',
      default: 10,
      min: 1,
      max: 1_000_000,
      editable: true,
    }),
  },
})
