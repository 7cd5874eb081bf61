/** A plugin from outside, whose tasks fail: `POST /api/v1/fail/:kind` puts one on record. */
import { adminRoutes, database, definePlugin, defineRoutes, defineTask, fail, taskKinds, taskQueue, type } from '#kernel'

const kind = (name: string) =>
  defineTask({
    kind: name,
    label: `Do ${name}`,
    args: type({}),
    uses: {},
    attempts: 1,
    subject: () => ({ type: 'bucket', key: 'photos' }),
    run: async () => fail('refused', 'the provider\n\u001b[31mrefused', { retryable: true }),
  })

const kinds = [kind('work'), kind('other_work')]

const routes = defineRoutes({
  name: 'failing',
  uses: { database, taskQueue },
  register(app, { database, taskQueue }) {
    for (const task of kinds) {
      app.post(`/api/v1/fail/${task.kind}`, async () => ({ id: await database.write((tx) => taskQueue.enqueue(tx, task, {})) }))
    }
  },
})

export const plugin = definePlugin({ id: 'failing', contributes: [taskKinds.with(...kinds), adminRoutes.with(routes)] })
