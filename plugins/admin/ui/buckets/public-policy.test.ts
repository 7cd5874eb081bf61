import { expect, test } from 'vitest'
import { describeRights } from './public-policy.ts'

test.each([
  [['read'], 'read objects in it'],
  [['list', 'read'], 'list its keys and read objects in it'],
  [['list', 'read', 'write'], 'list its keys, read objects in it and store and delete objects'],
] as const)('the rights %o are said as: %s', (rights, text) => {
  expect(describeRights(rights)).toBe(text)
})
