import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findResting, orderPlugins, PluginGraphError } from './graph.ts'
import { definePlugin } from './plugin.ts'

const plugin = (id: string, ...requires: string[]) => definePlugin({ id, requires })
const companion = (id: string, ...accompanies: string[]) => definePlugin({ id, accompanies })
const ids = (plugins: readonly { readonly id: string }[]) => plugins.map(({ id }) => id)

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run()
  } catch (error) {
    if (error instanceof PluginGraphError) return error.problems
    throw error
  }
  return []
}

test('each plugin follows those it requires and otherwise keeps its position', () => {
  const { enabled, disabled } = orderPlugins([
    plugin('admin', 'storage', 'wallet'),
    plugin('wallet'),
    plugin('storage', 'wallet'),
    plugin('tasks'),
  ])
  expect(ids(enabled)).toEqual(['wallet', 'storage', 'admin', 'tasks'])
  expect(disabled).toEqual([])
})

test('a disabled plugin is excluded', () => {
  const { enabled, disabled } = orderPlugins([plugin('a'), plugin('b', 'a'), plugin('c', 'a')], ['b'])
  expect(ids(enabled)).toEqual(['a', 'c'])
  expect(ids(disabled)).toEqual(['b'])
})

test.each([
  ['a requirement that is not installed', [plugin('a', 'ghost')], [], ["plugin 'a' requires 'ghost', which is not installed"]],
  [
    'a requirement that is disabled',
    [plugin('a', 'b'), plugin('b')],
    ['b'],
    ["plugin 'a' requires 'b', which is disabled; enable 'b' or disable 'a' too"],
  ],
  ['a plugin listed twice', [plugin('a'), plugin('a')], [], ["plugin 'a' is listed twice"]],
  ['a disabled plugin that does not exist', [plugin('a')], ['b'], ["plugins.disabled names 'b', which does not exist; known plugins: a"]],
  ['a plugin that requires itself', [plugin('a', 'a')], [], ['plugins require or accompany each other: a -> a']],
  [
    'a circle',
    [plugin('x', 'a'), plugin('a', 'b'), plugin('b', 'c'), plugin('c', 'a')],
    [],
    ['plugins require or accompany each other: a -> b -> c -> a'],
  ],
  ['a circle through a companion', [companion('a', 'b'), plugin('b', 'a')], [], ['plugins require or accompany each other: a -> b -> a']],
  ['a companion of what is not installed', [companion('a', 'ghost')], [], ["plugin 'a' accompanies 'ghost', which is not installed"]],
  [
    'a requirement that rests',
    [plugin('a', 'b'), companion('b', 'c'), plugin('c')],
    ['c'],
    ["plugin 'a' requires 'b', which rests while 'c' is disabled; enable 'c' or disable 'a' too"],
  ],
] as const)('%s is named', (...[, plugins, disabled, problems]) => {
  expect(problemsOf(() => orderPlugins(plugins, disabled))).toEqual(problems)
})

test('a plugin rests while one that it accompanies is disabled or rests, without a problem, and is not enabled otherwise', () => {
  const plugins = [companion('reports', 'costs'), companion('costs', 'replication', 'wallet'), plugin('replication'), plugin('wallet')]
  expect(orderPlugins(plugins, ['replication'])).toMatchObject({
    enabled: [{ id: 'wallet' }],
    disabled: [{ id: 'reports' }, { id: 'costs' }, { id: 'replication' }],
    resting: new Map([
      ['costs', 'replication'],
      ['reports', 'replication'],
    ]),
  })
  const { enabled, resting } = orderPlugins(plugins)
  expect([ids(enabled), resting.size]).toEqual([['replication', 'wallet', 'costs', 'reports'], 0])
})

test('a plugin that is disabled itself does not rest', () => {
  expect(findResting([companion('a', 'b'), companion('c', 'a')], ['a', 'b'])).toEqual(new Map([['c', 'a']]))
})

test('all problems are reported together', () => {
  expect(problemsOf(() => orderPlugins([plugin('a', 'x', 'y'), plugin('b', 'z')]))).toHaveLength(3)
})

test('any acyclic plugins can be ordered', () => {
  const graph = fc.array(fc.array(fc.nat({ max: 9 }), { maxLength: 4 }), { minLength: 1, maxLength: 10 })
  fc.assert(
    fc.property(graph, fc.array(fc.nat()), (requirements, shuffle) => {
      // Each may require only earlier ones, so there is no circle; then they are listed in any order.
      const plugins = requirements.map((wanted, i) => plugin(`p${i}`, ...new Set(wanted.filter((j) => j < i).map((j) => `p${j}`))))
      const listed = plugins
        .map((each, i) => ({ each, key: shuffle[i] ?? 0 }))
        .sort((one, other) => one.key - other.key)
        .map(({ each }) => each)
      const order = ids(orderPlugins(listed).enabled)
      expect([...order].sort()).toEqual(ids(plugins).sort())
      for (const { id, requires } of plugins) {
        for (const needed of requires) expect(order.indexOf(needed)).toBeLessThan(order.indexOf(id))
      }
    }),
  )
})

test.each(['Upper', '1st', 'with space', '', 'dot.ted'])('the plugin id %j is refused', (id) => {
  expect(() => definePlugin({ id })).toThrow('must be kebab-case')
})

test('an unknown plugin key is refused and named', () => {
  expect(() => definePlugin({ id: 'a', require: [] } as never)).toThrow("plugin 'a' has the key 'require'")
})
