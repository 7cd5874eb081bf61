import { database, definePlugin, defineTask, done, fail, taskKinds, taskQueue, wait } from '#kernel'
import type { RunningKernel } from '#kernel/host'
import { type } from '#kernel/schema'
import type { Task } from '../api.ts'

const hourMs = 3_600_000
const args = type({ name: 'string', end: "'done' | 'fail' | 'fail permanently' | 'wait'" })
type Args = typeof args.infer

const kind = (name: string, isRecurring: boolean, retry?: Task['retry_effect']) =>
  defineTask({
    kind: name,
    label: `Do ${name}`,
    ...(retry && { retry }),
    args,
    uses: {},
    attempts: 5,
    isRecurring,
    subject: ({ name }: Args) => ({ type: 'bucket', key: name, bucket: name }),
    async run({ args: { end }, nowMs }) {
      if (end === 'wait') return wait('funding', nowMs + hourMs, 'the deposit is too small')
      if (end === 'done') return done()
      return fail('refused', 'the provider refused', { retryable: end === 'fail' })
    },
  })

const work = kind('test_work', false)
const otherWork = kind('test_other_work', false, { level: 'danger', text: 'Burns the letters of the other work.' })
const routine = kind('test_routine', true)
const kinds = { work, otherWork, routine }

/** Task kinds whose outcome is set by their arguments. */
export const workingPlugin = definePlugin({ id: 'working', contributes: [taskKinds.with(work, otherWork, routine)] })

/** Enqueues a task and returns its id. `inMs`: delay of its first run. */
export function putTask(
  kernel: RunningKernel,
  end: Args['end'],
  { of = 'work', inMs = 0 }: { readonly of?: keyof typeof kinds; readonly inMs?: number } = {},
): Promise<number> {
  const queue = kernel.get(taskQueue)
  return kernel.get(database).write((tx) => queue.add(tx, kinds[of], { name: 'photos', end }, { runAtMs: Date.now() + inMs }))
}
