import { database, defineRoutes, parseBody, parseQuery, taskQueue } from 'svc/kernel'
import { type } from 'svc/kernel/schema'
import { greetTask } from './greet-task.ts'
import { greet } from './greeting.ts'
import { helloSection } from './settings.ts'

const body = type({ name: '0 < string <= 100' })
const query = type({ name: "string = 'world'" })

/** `GET /api/v1/hello?name=Ada` returns a greeting; `POST` with `{"name": "Ada"}` enqueues a greeting task. */
export const helloRoutes = defineRoutes({
  name: 'hello',
  uses: { database, taskQueue, settings: helloSection.settings },
  register(app, { database, taskQueue, settings }) {
    app.get('/api/v1/hello', async (request) => {
      const { name } = parseQuery(query, request)
      return { message: greet(settings.greeting, name) }
    })
    app.post('/api/v1/hello', async (request, reply) => {
      const { name } = await parseBody(body, request)
      const taskId = await database.write((tx) => taskQueue.add(tx, greetTask, { name }, { key: `hello:${name}` }))
      return reply.code(202).send({ task_id: taskId })
    })
  },
})
