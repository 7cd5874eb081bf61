import { expect, test } from 'vitest'
import { noneOf, readLimitText, readWork, workOptions } from './work-texts.ts'

test('the address names one of the states of the list, or none', () => {
  expect(workOptions.map(({ value }) => value)).toEqual(['', 'complete', 'working', 'waiting', 'stuck'])
  expect(['stuck', 'complete', '', 'failed', 'toString', '__proto__'].map(readWork)).toEqual([
    'stuck',
    'complete',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(noneOf('stuck')).toBe('No object here is stuck')
})

test('a page that ends at its limit says how many keys were read', () => {
  expect(readLimitText(5000)).toBe('One request reads 5,000 keys, and there are more keys behind them. Next continues there.')
})
