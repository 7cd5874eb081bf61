import { useSignal } from '@builder.io/qwik'
import { call, formatPlural, invalidate, toast, useAction$ } from '@svc/ui-kit'

const changed = [
  'GET /below-target',
  'GET /below-target/causes',
  'GET /overview',
  'GET /tasks',
  'GET /tasks/stats',
  'GET /buckets',
] as const

/** Enqueues the tasks that objects below their target need, of one provider or of all. `enqueued` counts them while it runs. */
export const useRetry = () => {
  const enqueued = useSignal(0)
  const retry = useAction$(async (providerId: string) => {
    const scope = providerId === '' ? {} : { provider_id: providerId }
    enqueued.value = 0
    try {
      // A request looks at a bounded part of the objects and says where the next one goes on.
      let cursor: string | undefined
      do {
        const done = await call('POST /below-target/retry', { body: { ...scope, ...(cursor !== undefined && { cursor }) } })
        enqueued.value += done.tasks
        cursor = done.next_cursor
      } while (cursor !== undefined)
    } finally {
      invalidate(changed)
    }
    toast(
      enqueued.value > 0
        ? { title: `${formatPlural(enqueued.value, 'task')} enqueued`, text: 'The missing copies are made now.' }
        : { tone: 'info', title: 'Nothing to enqueue', text: 'Tasks work on all that can be stored.' },
    )
    return enqueued.value
  })
  return { retry, enqueued }
}
