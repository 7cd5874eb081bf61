import { defineSection, text } from 'svc/kernel'

/** The table `[hello]` of the configuration file. */
export const helloSection = defineSection('hello', {
  doc: 'The plugin that greets.',
  keys: {
    greeting: text({ label: 'Greeting', doc: 'The word before the name.', default: 'Hello' }),
  },
})
