import { expect, test } from 'vitest'
import { suggest } from './suggest.ts'

test.each([
  ['serv', 'serve'],
  ['srever', 'serve'],
  ['migrat', 'migrate'],
  ['mirgate', 'migrate'],
  ['intii', 'init'],
  ['inti', 'init'],
  ['plug', 'plugins list'],
  ['plugins lsit', 'plugins list'],
  ['xyz', undefined],
  ['', undefined],
])('for %j the suggestion is %j', (word, meant) => {
  expect(suggest(word, ['serve', 'migrate', 'plugins list', 'init'])).toBe(meant)
})

test('no suggestion when two candidates are equally near', () => {
  expect(suggest('cat', ['car', 'cab'])).toBeUndefined()
})
