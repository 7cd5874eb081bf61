import { expect, test } from 'vitest'
import { defineHealthCheck, healthChecks } from './http/health.ts'
import { definePlugin } from './plugin.ts'
import { defineService, optional, provide } from './service.ts'
import { checkServices, contributionsTo } from './wiring.ts'

const kernelClock = defineService<object>('kernel.test-clock')
const wallet = defineService<object>('wallet')
const store = defineService<object>('store')

const walletPlugin = definePlugin({ id: 'wallet', provides: [provide(wallet, { kernelClock }, () => ({}))] })
const storePlugin = (...requires: string[]) => definePlugin({ id: 'storage', requires, provides: [provide(store, { wallet }, () => ({}))] })

test('services of the kernel, of the plugin itself and of required plugins may be used', () => {
  const admin = definePlugin({
    id: 'admin',
    requires: ['storage'],
    provides: [provide(defineService('admin'), { store, wallet }, () => ({}))],
  })
  expect(() => checkServices([walletPlugin, storePlugin('wallet'), admin], [], [kernelClock])).not.toThrow()
})

test('a service of a plugin that is not required is refused with what to write', () => {
  expect(() => checkServices([walletPlugin, storePlugin()], [], [kernelClock])).toThrow(
    "service 'store' of plugin 'storage' uses the service 'wallet' of plugin 'wallet'; add 'wallet' to the requires of 'storage'",
  )
})

test('a service of a disabled plugin is refused with both ways out', () => {
  expect(() => checkServices([storePlugin()], [walletPlugin], [])).toThrow(
    "uses the service 'wallet' of plugin 'wallet', which is disabled; enable it or disable 'storage' too",
  )
})

test('a service that nobody provides is refused, also where a contribution asks for it', () => {
  const plugin = definePlugin({
    id: 'checks',
    contributes: [healthChecks.with(defineHealthCheck({ name: 'fuel', uses: { store }, check: async () => undefined }))],
  })
  expect(() => checkServices([plugin], [], [])).toThrow(
    "health.checks 'fuel' of plugin 'checks' uses the service 'store', which no plugin provides",
  )
})

test('an optional service may be missing', () => {
  const plugin = definePlugin({ id: 'soft', provides: [provide(defineService('soft'), { wallet: optional(wallet) }, () => ({}))] })
  expect(() => checkServices([plugin], [walletPlugin], [])).not.toThrow()
})

test('two plugins that provide one service are both named', () => {
  const other = definePlugin({ id: 'other', provides: [provide(wallet, {}, () => ({}))] })
  expect(() => checkServices([walletPlugin, other], [], [kernelClock])).toThrow("both 'wallet' and 'other' provide the service 'wallet'")
})

test('contributions are read in plugin order, with their plugin', () => {
  const check = (name: string) => defineHealthCheck({ name, uses: {}, check: async () => undefined })
  const one = definePlugin({ id: 'one', contributes: [healthChecks.with(check('a'), check('b'))] })
  const two = definePlugin({ id: 'two', contributes: [healthChecks.with(check('c'))] })
  expect(contributionsTo(healthChecks, [two, one]).map(({ plugin, item }) => `${plugin.id}/${item.name}`)).toEqual([
    'two/c',
    'one/a',
    'one/b',
  ])
})
