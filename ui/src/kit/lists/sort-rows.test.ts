import { expect, test } from 'vitest'
import { sortRows, turnSorting } from './sort-rows.ts'

const columns = [
  { id: 'name', sort: (row: { readonly name: string }) => row.name },
  { id: 'size', sort: (row: { readonly size: number }) => row.size },
  { id: 'menu' },
]
const rows = [
  { name: 'b10', size: 2 },
  { name: 'b9', size: 2 },
  { name: 'a', size: 1 },
]
const namesBy = (id: string, isDescending: boolean) => sortRows(rows, columns, { id, isDescending }).map(({ name }) => name)

test('rows are sorted by text with its numbers, or by figures; equal ones keep their order', () => {
  expect(namesBy('name', false)).toEqual(['a', 'b9', 'b10'])
  expect(namesBy('size', true)).toEqual(['b10', 'b9', 'a'])
  expect(namesBy('menu', false)).toEqual(['b10', 'b9', 'a'])
  expect(sortRows(rows, columns, undefined)).toBe(rows)
})

test('a column turns from ascending to descending to the order of the list', () => {
  const first = turnSorting(undefined, 'size')
  expect(first).toEqual({ id: 'size', isDescending: false })
  expect(turnSorting(first, 'size')).toEqual({ id: 'size', isDescending: true })
  expect(turnSorting({ id: 'size', isDescending: true }, 'size')).toBeUndefined()
  expect(turnSorting(first, 'name')).toEqual({ id: 'name', isDescending: false })
})
