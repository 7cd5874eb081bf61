import { expect, test } from 'vitest'
import { databaseHealth } from '../db/database-health.ts'
import { defineHealthCheck } from '../health/health.ts'
import { workerHealthCheck } from '../tasks/worker-health-check.ts'
import { startTestListener } from '../testing/admin-listener.ts'
import type { HealthSources } from './health-route.ts'

const check = (name: string, answer: () => Promise<string | undefined>) => ({
  item: defineHealthCheck({ name, uses: {}, check: answer }),
  services: {},
})

async function ask(health: HealthSources, mode: 'full' | 'setup' = 'full') {
  await using listener = await startTestListener({ mode, health })
  const response = await fetch(`${listener.url}/healthz`)
  return { status: response.status, body: await response.json() }
}

/** The kernel's own checks, over a database and an engine in this state. */
const own = ({ ping, isHealthy }: typeof well) => [
  { item: databaseHealth, services: { database: { ping } } },
  { item: workerHealthCheck, services: { workerHealth: { isHealthy } } },
]
const well: { ping(): Promise<string | undefined>; isHealthy(): boolean } = { ping: async () => undefined, isHealthy: () => true }
const ill = {
  ping: async () => {
    throw new Error('disk I/O error')
  },
  isHealthy: () => false,
}

test('with healthy parts the status is ok', async () => {
  const health = { checks: [check('cache', async () => undefined), ...own(well)] }
  expect(await ask(health)).toEqual({ status: 200, body: { status: 'ok' } })
})

test('every failing part is named, sorted', async () => {
  const checks = [
    check('s3/listener', async () => {
      throw new Error('closed')
    }),
    check('cache', async () => 'cache: directory not found'),
    check('wallet', async () => undefined),
    ...own(ill),
  ]
  expect(await ask({ checks })).toEqual({
    status: 503,
    body: {
      status: 'unhealthy',
      errors: ['cache: directory not found', 'db: unreachable', 's3/listener: not responding', 'worker/tasks: not responding'],
    },
  })
})

test('a database whose disk is full is named', async () => {
  const full = { ...well, ping: async () => 'disk full' }
  expect(await ask({ checks: own(full) })).toEqual({ status: 503, body: { status: 'unhealthy', errors: ['db: disk full'] } })
})

test('a part that exceeds its time is reported as not responding, the database as unreachable', async () => {
  const never = () => new Promise<undefined>(() => {})
  const checks = [check('cache', never), ...own({ ...well, ping: never })]
  const errors = ['cache: not responding', 'db: unreachable']
  expect(await ask({ checks, checkMs: 20 })).toEqual({ status: 503, body: { status: 'unhealthy', errors } })
})

test('setup mode is healthy, and checks nothing', async () => {
  expect(await ask({ checks: own(ill) }, 'setup')).toEqual({ status: 200, body: { status: 'setup' } })
})

test('only GET and HEAD are answered, and concurrent calls share one round of checks', async () => {
  let rounds = 0
  let finish = () => {}
  const started = new Promise<void>((resolve) => {
    finish = resolve
  })
  const checks = [
    check('cache', async () => {
      rounds++
      await started
      return undefined
    }),
  ]
  await using listener = await startTestListener({ health: { checks } })
  const calls = [listener.inject('/healthz'), listener.inject('/healthz'), listener.inject({ method: 'HEAD', url: '/healthz' })]
  const refused = await listener.inject({ method: 'POST', url: '/healthz' })
  finish()
  expect((await Promise.all(calls)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  expect(rounds).toBe(1)
  expect([refused.statusCode, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
})
