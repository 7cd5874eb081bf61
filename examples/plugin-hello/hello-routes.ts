import { database, defineRoutes, parseBody, parseQuery, taskQueue } from 'svc/kernel'
import { type } from 'svc/kernel/schema'
import { greetTask } from './greet-task.ts'
import { greet } from './greeting.ts'
import { helloSection } from './settings.ts'

const person = type({ name: '0 < string <= 100' })
const anybody = type({ name: "string = 'world'" })

/** `GET /api/v1/hello?name=Ada` greets at once; `POST` with `{"name": "Ada"}` puts the greeting on record as a task. */
export const helloRoutes = defineRoutes({
  name: 'hello',
  uses: { database, taskQueue, settings: helloSection.settings },
  register(app, { database, taskQueue, settings }) {
    app.get('/api/v1/hello', async (request) => {
      const { name } = parseQuery(anybody, request)
      return { message: greet(settings.greeting, name) }
    })
    app.post('/api/v1/hello', async (request, reply) => {
      const { name } = await parseBody(person, request)
      const taskId = await database.write((tx) => taskQueue.enqueue(tx, greetTask, { name }, { key: `hello:${name}` }))
      return reply.code(202).send({ task_id: taskId })
    })
  },
})
