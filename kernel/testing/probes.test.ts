import { expect, test } from 'vitest'
import { defineProbe } from '../process/probe.ts'
import { watchProbes } from './probes.ts'

const halfway = defineProbe('test.halfway')

test('a probe without a watcher holds no run', () => {
  expect(halfway()).toBeUndefined()
})

test('reached resolves at the next arrival', async () => {
  using probes = watchProbes()
  const reached = probes.reached('test.halfway')
  expect(halfway()).toBeUndefined()
  await reached
})

test('a held run continues only after the release', async () => {
  using probes = watchProbes()
  using hold = probes.holdAt('test.halfway')
  const steps: string[] = []
  const run = (async () => {
    await halfway()
    steps.push('went on')
  })()
  await hold.reached
  await new Promise((resolve) => setImmediate(resolve))
  expect(steps).toEqual([])
  hold.release()
  await run
  expect(steps).toEqual(['went on'])
  expect(halfway()).toBeUndefined()
})

test('disposing the watch releases every held run', async () => {
  const probes = watchProbes()
  probes.holdAt('test.halfway')
  const run = halfway()
  expect(run).toBeInstanceOf(Promise)
  probes[Symbol.dispose]()
  await run
  expect(halfway()).toBeUndefined()
})
