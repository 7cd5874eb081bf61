import { expect, test } from 'vitest'
import { database, definePlugin, defineTask, done, fail, metricCollectors, type Outcome, taskKinds, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { contributions } from '#kernel/system'
import { type TaskKind, type TestKernel, testKernel } from '#kernel/testing'
import { tasksPlugin } from '../plugin.ts'

const kind = (name: string, isRecurring = false, run: () => Promise<Outcome> = async () => done()) =>
  defineTask({
    kind: name,
    label: name,
    args: type({}),
    uses: {},
    attempts: 1,
    isRecurring,
    subject: () => ({ type: 'test', key: 'k' }),
    run,
  })

const work = kind('test_work')
const otherWork = kind('test_other_work')
const routine = kind('test_routine', true)
const failing = kind('test_failing', false, async () => fail('rejected', 'no', { retryable: true }))
const retired = kind('test_retired')

const plugins = [tasksPlugin, definePlugin({ id: 'working', contributes: [taskKinds.with(work, otherWork, routine, failing)] })]

/** Enqueues a task, by default one that is due in an hour. */
function plan({ kernel }: TestKernel, planned: TaskKind, delayMs = 3_600_000): Promise<unknown> {
  const queue = kernel.get(taskQueue)
  return kernel.get(database).write((tx) => queue.add(tx, planned, {}, { runAtMs: Date.now() + delayMs }))
}

/** Samples of a family: the values of its labels, then the value. */
async function collect({ kernel }: TestKernel, family: string) {
  const found = kernel
    .get(contributions)
    .to(metricCollectors)
    .find(({ item }) => item.name === family)
  const samples = (await found?.item.collect(found.services)) ?? []
  return samples.map(({ labels, value }) => [...Object.values(labels), value])
}

test('the queue depth has every regular type from 0, and types that no enabled plugin handles; recurring types are left out', async () => {
  await using svc = await testKernel({ plugins })
  for (const planned of [work, work, retired, routine]) await plan(svc, planned)
  expect(await collect(svc, 'svc_task_queue_depth')).toEqual([
    ['test_failing', 'pending', 0],
    ['test_failing', 'running', 0],
    ['test_other_work', 'pending', 0],
    ['test_other_work', 'running', 0],
    ['test_retired', 'pending', 1],
    ['test_retired', 'running', 0],
    ['test_work', 'pending', 2],
    ['test_work', 'running', 0],
  ])
})

test('finished task runs are counted by type and result, with their durations', async () => {
  await using svc = await testKernel({ plugins })
  for (const planned of [work, work, failing, routine]) await plan(svc, planned, 0)
  await expect
    .poll(() => collect(svc, 'svc_worker_tasks_processed_total'))
    .toEqual(
      expect.arrayContaining([
        ['tasks', 'test_work', 'success', 2],
        ['tasks', 'test_work', 'failure', 0],
        ['tasks', 'test_failing', 'failure', 1],
        ['tasks', 'test_routine', 'success', 1],
        ['tasks', 'test_other_work', 'retry', 0],
        ['tasks', 'task_gc', 'wait', 0],
      ]),
    )
  const seconds = await collect(svc, 'svc_worker_task_duration_seconds')
  const ofWork = seconds.find(([, type]) => type === 'test_work')?.at(-1) as { readonly counts: readonly number[]; readonly sum: number }
  expect(ofWork.counts.reduce((sum, count) => sum + count, 0)).toBe(2)
  expect(ofWork.sum).toBeGreaterThanOrEqual(0)
  // There is no histogram without runs.
  expect(seconds.map(([, type]) => type)).not.toContain('test_other_work')
})
