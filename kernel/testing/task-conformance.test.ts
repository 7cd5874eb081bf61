import { expect, test } from 'vitest'
import { defineTask, done, fail } from '../index.ts'
import { type } from '../schema.ts'
import { checkTaskKind } from './task-conformance.ts'

function countingKind(run: (count: { n: number }) => void) {
  const count = { n: 0 }
  const kind = defineTask({
    kind: 'count',
    label: 'Count',
    args: type({ name: 'string' }),
    uses: {},
    attempts: 1,
    subject: ({ name }) => ({ type: 'thing', key: name }),
    run: async () => {
      run(count)
      return done()
    },
  })
  return { kind, args: { name: 'a' }, services: {}, snapshot: () => ({ ...count }) }
}

test('an idempotent task passes', async () => {
  await checkTaskKind(
    countingKind((count) => {
      count.n = 1
    }),
  )
})

test('I-09: a task that is not idempotent is detected', async () => {
  const adding = countingKind((count) => {
    count.n++
  })
  await expect(checkTaskKind(adding)).rejects.toThrow(`'count': a second run changed {"n":1} into {"n":2}`)
})

test('a task whose second run fails is detected', async () => {
  let runs = 0
  const once = { ...countingKind(() => {}) }
  const kind = { ...once.kind, run: async () => (runs++ === 0 ? done() : fail('gone', 'gone', { retryable: false })) }
  await expect(checkTaskKind({ ...once, kind })).rejects.toThrow("the first run came to 'done', the second to 'fail'")
})

test('arguments that JSON cannot represent are detected', async () => {
  const dated = { ...countingKind(() => {}), args: { name: new Date(0) as unknown as string } }
  await expect(checkTaskKind(dated)).rejects.toThrow('its arguments change when they are recorded as JSON')
})
