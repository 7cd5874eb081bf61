import fc from 'fast-check'
import { expect, test } from 'vitest'
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

test('every key has a relative name without a way up', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { maxLength: 5 }), (keys) => {
      const names = new EntryNames()
      const made = keys.map((key) => names.nameOf(key))
      for (const name of made) expect(name).toMatch(/^(?!\/)(?!.*\/\/)(?!(.*\/)?\.\.?(\/|$))[^\\\0]+$/s)
      expect(new Set(made.map((name) => name.toLowerCase())).size).toBe(keys.length)
    }),
    { numRuns: 50 },
  )
})
