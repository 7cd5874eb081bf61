/** /healthz when a component of a running service fails. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Gateway } from '../fixtures/gateways/gateway.ts'
import { startServeHere } from '../fixtures/gateways/serve-here.ts'
import { temporaryDirectory } from '../fixtures/temporary-directory.ts'

const stack = new AsyncDisposableStack()
let svc: Gateway
let dir: string
beforeAll(async () => {
  dir = stack.use(temporaryDirectory()).path
  svc = stack.use(await startServeHere({ dir, settings: { 'cache.dir': join(dir, 'cache') } }))
})
afterAll(() => stack.disposeAsync())

const health = async () => {
  const { status, json } = await svc.call('GET', '/healthz', { as: 'anonymous' })
  return [status, json]
}

test('a missing cache directory makes the service unhealthy until it is back', async () => {
  expect(await health()).toEqual([200, { status: 'ok' }])
  renameSync(join(dir, 'cache'), join(dir, 'away'))
  expect(await health()).toEqual([503, { status: 'unhealthy', errors: ['cache: directory not found'] }])
  // The API stays available for diagnosis.
  expect((await svc.call('GET', '/api/v1/workers')).json.workers).toMatchObject({ tasks: true })
  renameSync(join(dir, 'away'), join(dir, 'cache'))
  expect(await health()).toEqual([200, { status: 'ok' }])
})

test('an unreachable chain does not make the service unhealthy', async () => {
  expect((await svc.call('GET', '/api/v1/chain/readiness')).json.status).toBe('unknown')
  expect(await health()).toEqual([200, { status: 'ok' }])
})

test('concurrent calls get the same answer', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, health))
  expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(new Set(['[200,{"status":"ok"}]']))
})
