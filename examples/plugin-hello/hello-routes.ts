import { database, defineEndpoint, defineRoutes, serveEndpoint, taskQueue } from 'svc/kernel'
import { type } from 'svc/kernel/schema'
import { greetTask } from './greet-task.ts'
import { greet } from './greeting.ts'
import { helloSection } from './settings.ts'

/** `GET /api/v1/hello?name=Ada` returns a greeting. */
const sayHello = defineEndpoint({
  method: 'GET',
  path: '/api/v1/hello',
  summary: 'Greet a person',
  query: type({ name: "string = 'world'" }),
  answer: type({ message: 'string' }),
})

/** `POST` with `{"name": "Ada"}` enqueues a greeting task. */
const enqueueGreeting = defineEndpoint({
  method: 'POST',
  path: '/api/v1/hello',
  role: 'operator',
  summary: 'Greet a person in the background',
  body: type({ name: '0 < string <= 100' }),
  status: 202,
  answer: type({ task_id: 'number.integer' }),
})

export const helloRoutes = defineRoutes({
  name: 'hello',
  uses: { database, taskQueue, settings: helloSection.settings },
  endpoints: [sayHello, enqueueGreeting],
  register(app, { database, taskQueue, settings }) {
    serveEndpoint(app, sayHello, async ({ query: { name } }) => ({ message: greet(settings.greeting, name) }))
    serveEndpoint(app, enqueueGreeting, async ({ body: { name } }) => ({
      task_id: await database.write((tx) => taskQueue.add(tx, greetTask, { name }, { key: `hello:${name}` })),
    }))
  },
})
