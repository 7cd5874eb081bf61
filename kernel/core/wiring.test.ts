import { expect, test } from 'vitest'
import { defineHealthCheck, healthChecks } from '../health/health.ts'
import { loadPlugin } from './loaded-plugin.ts'
import { definePlugin, type Plugin } from './plugin.ts'
import { defineService, optional, provide } from './service.ts'
import { checkServices, contributionsTo } from './wiring.ts'

const load = (...plugins: readonly Plugin[]) => Promise.all(plugins.map(loadPlugin))
const kernelClock = defineService<object>('kernel.test-clock')
const wallet = defineService<object>('wallet')
const store = defineService<object>('store')

const walletPlugin = definePlugin({ id: 'wallet', provides: [provide(wallet, { kernelClock }, () => ({}))] })
const storePlugin = (...requires: string[]) => definePlugin({ id: 'storage', requires, provides: [provide(store, { wallet }, () => ({}))] })

test('services of the kernel, of the plugin itself and of required plugins may be used', async () => {
  const admin = definePlugin({
    id: 'admin',
    requires: ['storage'],
    provides: [provide(defineService('admin'), { store, wallet }, () => ({}))],
  })
  const enabled = await load(walletPlugin, storePlugin('wallet'), admin)
  expect(() => checkServices(enabled, [], [kernelClock])).not.toThrow()
})

test('services of an accompanied plugin, and of those that it requires, may be used', async () => {
  const costs = definePlugin({
    id: 'costs',
    accompanies: ['storage'],
    provides: [provide(defineService('costs'), { store, wallet }, () => ({}))],
  })
  const enabled = await load(walletPlugin, storePlugin('wallet'), costs)
  expect(() => checkServices(enabled, [], [kernelClock])).not.toThrow()
})

test('a circle of services is named in full, also one through an optional service', async () => {
  const ring = definePlugin({ id: 'ring', provides: [provide(wallet, { store: optional(store) }, () => ({}))] })
  const enabled = await load(ring, storePlugin('ring'))
  expect(() => checkServices(enabled, [], [])).toThrow(/^services use each other: wallet -> store -> wallet$/)
})

test('a service of a plugin that is not required is refused with the missing `requires` entry', async () => {
  const enabled = await load(walletPlugin, storePlugin())
  expect(() => checkServices(enabled, [], [kernelClock])).toThrow(
    "service 'store' of plugin 'storage' uses the service 'wallet' of plugin 'wallet'; add 'wallet' to the requires of 'storage'",
  )
})

test('a service of a disabled plugin is refused with both remedies', async () => {
  const enabled = await load(storePlugin())
  const disabled = await load(walletPlugin)
  expect(() => checkServices(enabled, disabled, [])).toThrow(
    "uses the service 'wallet' of plugin 'wallet', which is disabled; enable it or disable 'storage' too",
  )
})

test('a service without a provider is refused, also in the `uses` of a contribution', async () => {
  const plugin = definePlugin({
    id: 'checks',
    contributes: [healthChecks.with(defineHealthCheck({ name: 'fuel', uses: { store }, check: async () => undefined }))],
  })
  const enabled = await load(plugin)
  expect(() => checkServices(enabled, [], [])).toThrow(
    "health.checks 'fuel' of plugin 'checks' uses the service 'store', which no plugin provides",
  )
})

test('an optional service may be missing', async () => {
  const plugin = definePlugin({ id: 'soft', provides: [provide(defineService('soft'), { wallet: optional(wallet) }, () => ({}))] })
  const enabled = await load(plugin)
  const disabled = await load(walletPlugin)
  expect(() => checkServices(enabled, disabled, [])).not.toThrow()
})

test('two plugins that provide one service are both named', async () => {
  const other = definePlugin({ id: 'other', provides: [provide(wallet, {}, () => ({}))] })
  const enabled = await load(walletPlugin, other)
  expect(() => checkServices(enabled, [], [kernelClock])).toThrow("both 'wallet' and 'other' provide the service 'wallet'")
})

test('contributions are listed in plugin order with their plugin', async () => {
  const check = (name: string) => defineHealthCheck({ name, uses: {}, check: async () => undefined })
  const one = definePlugin({ id: 'one', contributes: [healthChecks.with(check('a'), check('b'))] })
  const two = definePlugin({ id: 'two', contributes: [healthChecks.with(check('c'))] })
  expect(contributionsTo(healthChecks, await load(two, one)).map(({ plugin, item }) => `${plugin.id}/${item.name}`)).toEqual([
    'two/c',
    'one/a',
    'one/b',
  ])
})
