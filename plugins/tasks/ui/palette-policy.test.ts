import { expect, test } from 'vitest'
import { readPaletteId } from './palette-policy.ts'

test.each([
  ['42', '42'],
  [' #42 ', '42'],
  ['Task 42', '42'],
  ['task#42', '42'],
  ['0', undefined],
  ['042', undefined],
  ['4 2', undefined],
  ['photos', undefined],
  ['9'.repeat(30), undefined],
])('%j names the task %s', (text, id) => {
  expect(readPaletteId(text)).toBe(id)
})
