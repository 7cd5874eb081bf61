import { describe, expect, test } from 'vitest'
import { iconNames } from '../src/kit/icon-names.ts'
import { readIconPaths, toPath } from './icons.ts'

test('every icon of the list has path data', () => {
  const paths = readIconPaths(iconNames)
  expect(iconNames.filter((name) => !/^M[\d.-]/.test(paths[name] ?? ''))).toEqual([])
})

test('no icon is listed twice', () => {
  expect(new Set(iconNames).size).toBe(iconNames.length)
})

test('an icon that the package does not have is named', () => {
  expect(() => readIconPaths(['no-such-icon'])).toThrow('no icon "no-such-icon"')
})

describe('shapes become paths', () => {
  test.each([
    ['line', { x1: '1', y1: '2', x2: '3', y2: '4' }, 'M1 2L3 4'],
    ['circle', { cx: '12', cy: '12', r: '10' }, 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0'],
    ['rect', { x: '2', y: '3', width: '10', height: '6' }, 'M2 3h10v6h-10v-6z'],
    ['polyline', { points: '1 2 3 4' }, 'M1 2 3 4'],
    ['polygon', { points: '1 2 3 4 5 6' }, 'M1 2 3 4 5 6z'],
    // A relative move at the start of a second path would count from the end of the first.
    ['path', { d: 'm6 6 12 12' }, 'M0 0m6 6 12 12'],
  ])('%s', (tag, attributes, path) => {
    expect(toPath(tag, attributes)).toBe(path)
  })

  test('an unknown shape is named', () => {
    expect(() => toPath('text', {})).toThrow('Unknown shape in an icon: text')
  })
})
