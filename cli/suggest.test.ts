import { expect, test } from 'vitest'
import { suggest } from './suggest.ts'

test.each([
  ['serv', 'serve'],
  ['migrat', 'migrate'],
  ['plugins lsit', 'plugins list'],
  ['xyz', undefined],
  ['', undefined],
])('%j is taken for %j', (word, meant) => {
  expect(suggest(word, ['serve', 'migrate', 'plugins list', 'init'])).toBe(meant)
})
