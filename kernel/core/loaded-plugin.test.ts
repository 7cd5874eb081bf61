import { expect, test } from 'vitest'
import { cliCommands } from '../command.ts'
import { defineHealthCheck, healthChecks } from '../health/health.ts'
import { loadContributions, loadPlugin } from './loaded-plugin.ts'
import { definePlugin } from './plugin.ts'
import { defineService, provide } from './service.ts'

const check = (name: string) => defineHealthCheck({ name, uses: {}, check: async () => undefined })
const store = provide(defineService('store'), {}, () => ({}))
const missing = async () => Promise.reject(new Error("Cannot find module './gone.ts'"))

test('a loaded plugin has its providers and items in declaration order', async () => {
  const plugin = definePlugin({
    id: 'mixed',
    requires: ['wallet'],
    accompanies: ['costs'],
    provides: async () => [store],
    contributes: [
      healthChecks.load(
        async () => check('a'),
        async () => [check('b'), check('c')],
      ),
      healthChecks.with(check('d')),
    ],
  })
  const loaded = await loadPlugin(plugin)
  expect(loaded).toMatchObject({ id: 'mixed', requires: ['wallet'], accompanies: ['costs'], provides: [store] })
  expect(loaded.contributes.flatMap(({ items }) => items.map((item) => (item as { name: string }).name))).toEqual(['a', 'b', 'c', 'd'])
})

test('reading one extension point imports no modules of the others', async () => {
  const plugin = definePlugin({ id: 'lazy', provides: missing, contributes: [healthChecks.load(missing), cliCommands.with()] })
  expect(await loadContributions(cliCommands, [plugin])).toEqual([])
})

const absent = { gone: undefined } as unknown as { readonly gone: ReturnType<typeof check> }
test.each([
  ['a contribution', 'health.checks', definePlugin({ id: 'broken', contributes: [healthChecks.load(async () => absent.gone)] })],
  ['the providers', 'provides', definePlugin({ id: 'broken', provides: async () => absent.gone as never })],
])('%s whose module lacks the export is refused with the names of the plugin and the list', async (_what, list, plugin) => {
  await expect(loadPlugin(plugin)).rejects.toThrow(`plugin 'broken' cannot be loaded: '${list}' has an entry that is not an object`)
})

test.each([
  ['a contribution', definePlugin({ id: 'broken', contributes: [healthChecks.load(missing)] })],
  ['the providers', definePlugin({ id: 'broken', provides: missing })],
])('%s that cannot be imported is refused with the name of the plugin', async (_what, plugin) => {
  await expect(loadPlugin(plugin)).rejects.toThrow("plugin 'broken' cannot be loaded: Cannot find module './gone.ts'")
})
