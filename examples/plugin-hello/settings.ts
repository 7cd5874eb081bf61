import { defineSection, setting } from 'svc/kernel'

export const helloSection = defineSection('hello', {
  doc: 'Example plugin.',
  keys: {
    greeting: setting.text({ label: 'Greeting', doc: 'Word before the name.', default: 'Hello' }),
  },
})
