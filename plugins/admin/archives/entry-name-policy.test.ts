import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EntryNames } from './entry-name-policy.ts'

test.each([
  ['a/b.txt', 'a/b.txt'],
  ['/etc/passwd', 'etc/passwd'],
  ['../../up', 'up'],
  ['a/../b', 'a/b'],
  ['..', 'object'],
  ['C:\\windows\\x', 'C__windows_x'],
  ['a\u0000b\u202Egpj.exe', 'a_b_gpj.exe'],
  ['dir/', 'dir'],
  ['NUL.txt', '_NUL.txt'],
  ['trailing. . ', 'trailing'],
  ['фото/ü 1.txt', 'фото/ü 1.txt'],
])('%j is unpacked as %s', (key, name) => {
  expect(new EntryNames().nameOf(key)).toBe(name)
})

test('no two names are alike, also without regard to letter case', () => {
  const names = new EntryNames()
  expect(['a.txt', 'A.TXT', '/a.txt', 'a.txt (2)', 'x', 'x/'].map((key) => names.nameOf(key))).toEqual([
    'a.txt',
    'A (2).TXT',
    'a (3).txt',
    'a.txt (2)',
    'x',
    'x (2)',
  ])
})

test.each([
  [
    ['a', 'a/b', 'A/c', 'a (2)/d'],
    ['a', 'a (2)/b', 'A (2)/c', 'a (2) (2)/d'],
  ],
  [
    ['\u03a3.b', '\u03c2.b', '\u03c3.b', '\u03a3.b/c'],
    ['\u03a3.b', '\u03c2 (2).b', '\u03c3 (3).b', '\u03a3 (4).b/c'],
  ],
  [
    ['d/e/f', 'd/e', 'd', 'D/g'],
    ['d/e/f', 'd/e (2)', 'd (2)', 'D/g'],
  ],
])('a file and a folder never have the same name: %j', (keys, made) => {
  const names = new EntryNames()
  expect(keys.map((key) => names.nameOf(key))).toEqual(made)
})

test('ten thousand keys with one name are numbered without trying all numbers before', () => {
  const names = new EntryNames()
  const has = Set.prototype.has
  let tries = 0
  const counting = vi.spyOn(Set.prototype, 'has').mockImplementation(function (this: Set<unknown>, value) {
    tries += 1
    if (tries > 100_000) throw new Error('too many tries')
    return has.call(this, value)
  })
  onTestFinished(() => counting.mockRestore())
  const made = Array.from({ length: 10_000 }, (_, n) => names.nameOf(`${'/'.repeat(n % 1000)}x`))
  expect(made.at(-1)).toBe('x (10000)')
})

test('folders without end are not remembered: the objects in them lie beside the others', () => {
  const names = new EntryNames()
  const deep = '/d'.repeat(400)
  const made = Array.from({ length: 200 }, (_, n) => names.nameOf(`${n}${deep}/x`))
  expect(made.at(0)).toBe(`0${deep}/x`)
  expect(made.at(-1)).not.toContain('/')
  expect(new Set(made).size).toBe(200)
})

const foldersOf = (name: string) => [...name.matchAll(/\//g)].map(({ index }) => name.slice(0, index))

test('every key has a relative name without a way up', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 5 }), (keys) => {
      const names = new EntryNames()
      const made = keys.map((key) => names.nameOf(key))
      for (const name of made) expect(name).toMatch(/^(?!\/)(?!.*\/\/)(?!(.*\/)?\.\.?(\/|$))[^\\\0]+$/s)
      const files = new Set(made.map((name) => name.toLowerCase()))
      expect(files.size).toBe(keys.length)
      for (const name of files) for (const folder of foldersOf(name)) expect(files).not.toContain(folder)
    }),
    { numRuns: 50 },
  )
})
