import { expect, test } from 'vitest'
import { pagingOf, readId, readOffset, readStatus, readSwitch } from './list-query-policy.ts'

test('members of the address that are no filters filter nothing', () => {
  expect(['available', 'fine', ''].map(readStatus)).toEqual(['available', undefined, undefined])
  expect(['12', '0x1', '-1', ''].map(readId)).toEqual(['12', undefined, undefined, undefined])
  expect(['true', 'false', 'yes'].map(readSwitch)).toEqual(['true', 'false', undefined])
  expect(['50', '-5', '1e3', ''].map(readOffset)).toEqual([50, 0, 0, 0])
})

test('a page says which rows it has, and leads to the pages beside it', () => {
  const rows = (count: number) => Array.from({ length: count })
  expect(pagingOf({ items: rows(25), total: 60, offset: 0 })).toEqual({
    isFirst: true,
    text: '1–25 of 60',
    next: '25',
    previous: undefined,
  })
  expect(pagingOf({ items: rows(25), total: 60, offset: 25 })).toEqual({ isFirst: false, text: '26–50 of 60', next: '50', previous: '' })
  expect(pagingOf({ items: rows(10), total: 60, offset: 50 })).toMatchObject({ text: '51–60 of 60', next: undefined, previous: '25' })
  // The list became shorter than the address of the page.
  expect(pagingOf({ items: [], total: 3, offset: 50 })).toMatchObject({ text: '0 of 3', next: undefined, previous: '25' })
})
