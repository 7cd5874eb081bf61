import { defineSection, setting } from 'svc/kernel'

export const regionsSection = defineSection('regions', {
  doc: 'Example plugin: regions of providers.',
  keys: {
    providers: setting.list({ label: 'Providers', doc: 'Region of each provider, such as `7=eu`.', default: [] }),
    preferred: setting.text({ label: 'Preferred region', doc: 'Its providers are chosen first.', default: '' }),
    blocked: setting.list({ label: 'Blocked regions', doc: 'Their providers get no new data sets.', default: [] }),
  },
})
