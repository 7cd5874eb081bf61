import { defineTask, done, events } from 'svc/kernel'
import { type } from 'svc/kernel/schema'
import { greeted } from './greeted-event.ts'
import { greet } from './greeting.ts'
import { helloSection } from './settings.ts'

/** Greets in the background. Safe to repeat after a crash: another run for the same name only greets again. */
export const greetTask = defineTask({
  kind: 'hello_greet',
  label: 'Greet a person',
  retry: { level: 'review', text: 'Greets the person once more.' },
  args: type({ name: '0 < string <= 100' }),
  uses: { events, settings: helloSection.settings },
  attempts: 3,
  subject: ({ name }) => ({ type: 'person', key: name }),
  async run({ args, services, log }) {
    const message = greet(services.settings.greeting, args.name)
    log.info('greeted', { message })
    services.events.publish(greeted, { message })
    return done()
  },
})
