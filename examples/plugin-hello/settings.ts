import { defineSection, text } from 'svc/kernel'

export const helloSection = defineSection('hello', {
  doc: 'Example plugin.',
  keys: {
    greeting: text({ label: 'Greeting', doc: 'Word before the name.', default: 'Hello' }),
  },
})
