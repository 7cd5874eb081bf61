import { expect, test } from 'vitest'
import { groupMenu, isCurrent } from './menu-policy.ts'

const entry = (to: string, order: number, group?: 'Storage' | 'Service') =>
  ({ to, label: to, icon: 'lock', order, ...(group && { group }) }) as const

test('entries stand under their headings by order, those without one first', () => {
  const menu = groupMenu([entry('/plugins', 1, 'Service'), entry('/b', 20, 'Storage'), entry('/a', 10, 'Storage'), entry('/', 0)])
  expect(menu.map(({ group, entries }) => [group, entries.map(({ to }) => to)])).toEqual([
    [undefined, ['/']],
    ['Storage', ['/a', '/b']],
    ['Service', ['/plugins']],
  ])
})

test('a page below an entry marks it, and the overview only itself', () => {
  expect(isCurrent('/buckets', '/buckets/photos')).toBe(true)
  expect(isCurrent('/buckets', '/buckets-old')).toBe(false)
  expect(isCurrent('/', '/buckets')).toBe(false)
})
