import { expect, test } from 'vitest'
import { assignAt, valueAt } from './dotted-path.ts'

test('values are assigned to paths and found at them', () => {
  const tree = { cache: { dir: '/x', size: 1 } }
  assignAt(tree, 'chain.watch.on', false)
  assignAt(tree, 'cache.size', undefined)
  expect(tree).toEqual({ chain: { watch: { on: false } }, cache: { dir: '/x' } })
  expect([valueAt(tree, 'chain.watch.on'), valueAt(tree, 'chain.watch')]).toEqual([false, { on: false }])
})

test('a path through a missing table, a list or a text has no value', () => {
  const tree = { list: ['a'], text: 'b' }
  expect([valueAt(tree, 'none.deeper'), valueAt(tree, 'list.0'), valueAt(tree, 'text.length'), valueAt(null, 'a')]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
