import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSections, defineSection } from '../config/section.ts'
import { setting } from '../config/setting.ts'
import { contributions } from '../core/contributions.ts'
import { defineExtensionPoint } from '../core/extension-point.ts'
import { definePlugin, type Plugin } from '../core/plugin.ts'
import { defineService, optional, provide } from '../core/service.ts'
import { defineHealthCheck, healthChecks } from '../health/health.ts'
import { defineListener, listeners } from '../http/listeners.ts'
import { adminRoutes, defineRoutes } from '../http/routes.ts'
import { createLog, silentLog } from '../log/log.ts'
import { testKernel } from '../testing/test-kernel.ts'

interface Engine {
  readonly name: string
}

const engine = defineService<Engine>('test.engine')
const car = defineService<{ readonly wheels: number; readonly engine: Engine }>('test.car')

/** Two plugins that record every step. */
function recordedPlugins(steps: string[]): readonly [Plugin, Plugin] {
  const made = <T extends object>(name: string, value: T) => {
    steps.push(`${name} made`)
    return { ...value, [Symbol.asyncDispose]: async () => void steps.push(`${name} gone`) }
  }
  const motors = definePlugin({
    id: 'motors',
    provides: [provide(engine, {}, () => made('engine', { name: 'diesel' }))],
  })
  const cars = definePlugin({
    id: 'cars',
    requires: ['motors'],
    provides: [provide(car, { engine }, async (uses) => made('car', { wheels: 4, engine: uses.engine }))],
    contributes: [
      adminRoutes.with(
        defineRoutes({
          name: 'cars',
          uses: { car },
          register: (app, services) => void app.get('/api/v1/car', async () => ({ ...services.car, engine: services.car.engine.name })),
        }),
      ),
      listeners.with(
        defineListener({
          name: 'radio',
          uses: { car },
          start: async () => {
            steps.push('radio on')
            return { url: 'http://127.0.0.1:1', stop: async () => void steps.push('radio off') }
          },
        }),
      ),
      healthChecks.with(defineHealthCheck({ name: 'fuel', uses: { car }, check: async () => undefined })),
    ],
  })
  return [motors, cars]
}

const required = definePlugin({
  id: 'keys',
  contributes: [
    configSections.with(
      defineSection('chain', { doc: 'Keys.', keys: { private_key: setting.secret({ label: 'Key', doc: 'The key.', required: true }) } }),
    ),
  ],
})

test('services are created after their dependencies and disposed in reverse', async () => {
  const steps: string[] = []
  const [motors, cars] = recordedPlugins(steps)
  const svc = await testKernel({ plugins: [cars, motors] })
  expect(svc.kernel.mode).toBe('full')
  expect(await svc.call('GET', '/api/v1/car')).toMatchObject({ status: 200, body: { wheels: 4, engine: 'diesel' } })
  expect((await fetch(`${svc.url}/api/v1/car`)).status).toBe(401)
  expect(await svc.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(svc.kernel.urls).toEqual({ radio: 'http://127.0.0.1:1' })
  expect(svc.kernel.state.plugins.map(({ id }) => id)).toEqual(['motors', 'cars'])
  await svc.stop()
  expect(steps).toEqual(['engine made', 'car made', 'radio on', 'radio off', 'car gone', 'engine gone'])
  expect(existsSync(svc.dir)).toBe(false)
})

test('I-11: setup mode creates no services and no listeners, and every address answers with the next step', async () => {
  const steps: string[] = []
  await using svc = await testKernel({ plugins: [...recordedPlugins(steps), required] })
  expect(svc.kernel.mode).toBe('setup')
  expect(await svc.call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'setup' } })
  expect(await svc.call('GET', '/api/v1/car')).toMatchObject({ status: 503, body: { code: 'setup_mode' } })
  expect(svc.kernel.urls).toEqual({})
  expect(steps).toEqual([])
  expect(existsSync(`${svc.dir}/db`)).toBe(false)
})

test('the database and the background tasks are health checks like those of plugins', async () => {
  await using svc = await testKernel({ plugins: recordedPlugins([]) })
  const names = () =>
    svc.kernel
      .get(contributions)
      .to(healthChecks)
      .map(({ pluginId, item }) => `${pluginId}: ${item.name}`)
  expect(names()).toEqual(['kernel: db', 'kernel: worker/tasks', 'cars: fuel'])
})

test('the contributions to a point are bound to their services once, after all services exist', async () => {
  const parts = defineExtensionPoint<object>('test.parts')
  const early: unknown[] = []
  const reader = definePlugin({
    id: 'reader',
    provides: [provide(defineService('test.reader'), { contributions }, (uses) => void early.push(...uses.contributions.to(parts)))],
    contributes: [parts.with({ uses: { engine: optional(engine) } })],
  })
  await using svc = await testKernel({ plugins: [reader, ...recordedPlugins([])] })
  const { to } = svc.kernel.get(contributions)
  expect(early).toMatchObject([{ services: { engine: undefined } }])
  expect(to(parts)).toMatchObject([{ pluginId: 'reader', services: { engine: { name: 'diesel' } } }])
  expect(to(parts)).toBe(to(parts))
})

test('a missing setting that the environment supplies leads to full mode', async () => {
  await using svc = await testKernel({ plugins: [required], env: { SVC_CHAIN_PRIVATE_KEY: '0x1234' } })
  expect(svc.kernel.mode).toBe('full')
})

test('the addresses of a disabled plugin answer plugin_disabled', async () => {
  const [motors, cars] = recordedPlugins([])
  await using svc = await testKernel({ plugins: [motors, cars], config: { 'plugins.disabled': ['cars'] } })
  expect(await svc.call('GET', '/api/v1/car')).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
  expect(svc.kernel.state.plugins).toMatchObject([
    { id: 'motors', enabled: true },
    { id: 'cars', enabled: false },
  ])
})

test('a plugin that requires a disabled one is refused with both remedies', async () => {
  const start = testKernel({ plugins: recordedPlugins([]), config: { 'plugins.disabled': ['motors'] } })
  await expect(start).rejects.toThrow("plugin 'cars' requires 'motors', which is disabled; enable 'motors' or disable 'cars' too")
})

test('a plugin rests while the one that it accompanies is disabled: no service, no task, and its addresses say so', async () => {
  const steps: string[] = []
  const [motors] = recordedPlugins(steps)
  const trailer = definePlugin({
    id: 'trailer',
    accompanies: ['motors'],
    provides: [provide(defineService('test.trailer'), { engine }, () => void steps.push('trailer made'))],
    contributes: [
      configSections.with(
        defineSection('trailer', { doc: 'Loads.', keys: { key: setting.text({ label: 'Key', doc: 'A key.', required: true }) } }),
      ),
      adminRoutes.with(
        defineRoutes({ name: 'trailer', uses: { engine }, register: (app) => void app.get('/api/v1/trailer', async () => ({})) }),
      ),
      healthChecks.with(defineHealthCheck({ name: 'hitch', uses: { engine }, check: async () => undefined })),
    ],
  })
  await using svc = await testKernel({ plugins: [trailer, motors], config: { 'plugins.disabled': ['motors'] } })
  expect(svc.kernel.mode).toBe('full')
  expect(await svc.call('GET', '/api/v1/trailer')).toMatchObject({ status: 404, body: { code: 'plugin_disabled' } })
  expect(
    svc.kernel
      .get(contributions)
      .to(healthChecks)
      .some(({ pluginId }) => pluginId === 'trailer'),
  ).toBe(false)
  expect(steps).toEqual([])
  expect(svc.kernel.state.plugins).toMatchObject([
    { id: 'trailer', enabled: false, accompanies: ['motors'] },
    { id: 'motors', enabled: false },
  ])
})

test('an optional service is created before its user, in whichever order the plugins are listed', async () => {
  const seen: unknown[] = []
  const curious = definePlugin({
    id: 'curious',
    provides: [provide(defineService('test.curious'), { engine: optional(engine) }, (uses) => void seen.push(uses.engine?.name))],
  })
  const steps: string[] = []
  await using _svc = await testKernel({ plugins: [curious, ...recordedPlugins(steps)] })
  expect(seen).toEqual(['diesel'])
  expect(steps.filter((step) => step === 'engine made')).toHaveLength(1)
})

test('an override replaces a service, whose provider is not run', async () => {
  const steps: string[] = []
  await using svc = await testKernel({ plugins: recordedPlugins(steps), override: [[engine, { name: 'toy' }]] })
  expect((await svc.call('GET', '/api/v1/car')).body).toMatchObject({ engine: 'toy' })
  expect(steps).not.toContain('engine made')
})

test('an optional service is undefined where no enabled plugin provides it', async () => {
  const seen: unknown[] = []
  const maker = defineService<object>('test.seen')
  const curious = definePlugin({
    id: 'curious',
    provides: [
      provide(maker, { engine: optional(engine) }, (uses) => {
        seen.push(uses.engine)
        return {}
      }),
    ],
  })
  await using _svc = await testKernel({ plugins: [curious] })
  expect(seen).toEqual([undefined])
})

test('a failed start disposes what it created', async () => {
  const steps: string[] = []
  const [motors, cars] = recordedPlugins(steps)
  const broken = definePlugin({
    id: 'broken',
    requires: ['cars'],
    contributes: [
      listeners.with(
        defineListener({
          name: 'deaf',
          uses: {},
          start: async () => {
            throw new Error('the port is taken')
          },
        }),
      ),
    ],
  })
  await expect(testKernel({ plugins: [motors, cars, broken] })).rejects.toThrow('the port is taken')
  expect(steps).toEqual(['engine made', 'car made', 'radio on', 'radio off', 'car gone', 'engine gone'])
})

test('a service that fails to stop is named, and the others are still stopped', async () => {
  const steps: string[] = []
  const stubborn = defineService<AsyncDisposable>('test.stubborn')
  const lines: string[] = []
  const [motors, cars] = recordedPlugins(steps)
  const plugin = definePlugin({
    id: 'stubborn',
    requires: ['cars'],
    provides: [
      provide(stubborn, {}, () => ({
        [Symbol.asyncDispose]: async () => {
          throw new Error('stuck')
        },
      })),
    ],
  })
  const log = createLog({ level: 'error', format: 'text', secrets: [], write: (line) => lines.push(line) })
  const svc = await testKernel({ plugins: [motors, cars, plugin], log })
  await expect(svc.stop()).rejects.toThrow('did not stop cleanly')
  expect(lines.join()).toContain("service 'test.stubborn' did not stop cleanly")
  expect(steps.slice(-2)).toEqual(['car gone', 'engine gone'])
})

test('a failed start is refused with its reason, also where a service then does not stop cleanly', async () => {
  const stubborn = provide(defineService<AsyncDisposable>('test.stubborn'), {}, () => ({
    [Symbol.asyncDispose]: async () => {
      throw new Error('stuck')
    },
  }))
  const failing = provide(defineService('test.failing'), {}, () => {
    throw new Error('the port is taken')
  })
  const plugin = definePlugin({ id: 'stubborn', provides: [stubborn, failing] })
  await expect(testKernel({ plugins: [plugin], log: silentLog })).rejects.toThrow('the port is taken')
})

test('a configuration that the settings page cannot fix is refused with its field', async () => {
  await expect(testKernel({ plugins: [], config: { 'admin.auth.password_hash': '' } })).rejects.toThrow(
    'admin.auth.password_hash must not be empty while admin.auth.enabled is true',
  )
})

test('a kernel started again in the same directory keeps its configuration', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-kept-'))
  try {
    const first = await testKernel({ plugins: [required], config: { 'chain.private_key': '0xabcdef12' }, dir })
    await first.stop()
    await using again = await testKernel({ plugins: [required], dir })
    expect(again.kernel.mode).toBe('full')
  } finally {
    rmSync(dir, { recursive: true })
  }
})
