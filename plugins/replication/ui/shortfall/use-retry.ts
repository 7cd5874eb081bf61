import { call, formatPlural, invalidate, toast, useAction$ } from '@svc/ui-kit'

/** A request enqueues 500 tasks at most. */
const requestsMax = 200

/** Enqueues the tasks that objects below their target need, of one provider or of all. */
export const useRetry = () =>
  useAction$(async (providerId: string) => {
    let tasks = 0
    for (let request = 0; request < requestsMax; request += 1) {
      const done = await call('POST /below-target/retry', { body: providerId === '' ? {} : { provider_id: providerId } })
      tasks += done.tasks
      if (!done.has_more) break
    }
    toast(
      tasks > 0
        ? { title: `${formatPlural(tasks, 'task')} enqueued`, text: 'The missing copies are made now.' }
        : { tone: 'info', title: 'Nothing to enqueue', text: 'Tasks work on all that can be stored.' },
    )
    invalidate(['GET /below-target', 'GET /below-target/causes', 'GET /overview', 'GET /tasks', 'GET /tasks/stats', 'GET /buckets'])
    return tasks
  })
