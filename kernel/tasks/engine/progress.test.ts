import { expect, test } from 'vitest'
import { wait } from '../outcome.ts'
import { bind, openTasks, readTask, scriptedKind, settings, startEngine, type TestTasks } from '../testing/test-engine.ts'

const attemptsMax = settings.max_retries + 1
/** Longer than the pause after any of these few failures. */
const laterMs = 20_000

/** A task whose every second run fails; the others wait, with or without progress. */
async function startFlaky(tasks: TestTasks, hasProgress: boolean) {
  let runs = 0
  const kind = scriptedKind(({ progressed }) => {
    if (runs++ % 2 === 0) throw new Error('an isolated fault')
    if (hasProgress) progressed()
    return wait('batching', tasks.clock.now() + 1000)
  })
  const svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  return { ...svc, id }
}

test('faults with progress between them never fail a task', async () => {
  await using tasks = await openTasks()
  const { id, stop } = await startFlaky(tasks, true)
  for (let i = 0; i < 4 * attemptsMax; i++) await tasks.clock.advance(laterMs)
  expect((await readTask(tasks, id)).status).toBe('pending')
  expect((await readTask(tasks, id)).attempts).toBeLessThanOrEqual(1)
  await stop()
})

test('waits are not progress: faults between them add up', async () => {
  await using tasks = await openTasks()
  const { id, stop } = await startFlaky(tasks, false)
  for (let i = 0; i < 4 * attemptsMax; i++) await tasks.clock.advance(laterMs)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'failed', attempts: attemptsMax })
  await stop()
})

test('progress followed by a failure restarts the count of attempts', async () => {
  await using tasks = await openTasks()
  const kind = scriptedKind(({ progressed }) => {
    progressed()
    throw new Error('the rest failed')
  })
  await using svc = await startEngine(tasks, { kinds: [bind(kind)] })
  const id = await svc.enqueue(kind)
  for (let i = 0; i < 4 * attemptsMax; i++) await tasks.clock.advance(laterMs)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', attempts: 1, last_error: 'the rest failed' })
})

test('progress clears the error of the failures before it', async () => {
  await using tasks = await openTasks()
  const { id, stop } = await startFlaky(tasks, true)
  await tasks.clock.advance(0)
  expect(await readTask(tasks, id)).toMatchObject({ attempts: 1, last_error: 'an isolated fault' })
  for (let i = 0; i < 20 && (await readTask(tasks, id)).attempts > 0; i++) await tasks.clock.advance(500)
  expect(await readTask(tasks, id)).toMatchObject({ status: 'pending', attempts: 0, error_code: null, last_error: null })
  await stop()
})
