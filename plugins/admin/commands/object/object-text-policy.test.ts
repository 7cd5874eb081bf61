import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { pageText } from './object-text-policy.ts'

const markerOf = (key: string) =>
  pageText({ folders: [{ name: 'a', prefix: 'a/' }], objects: [], has_more: true, next_marker: key })
    .split('\nMore: --after ')
    .at(-1)

test.each([
  ['2026/sea.jpg', '2026/sea.jpg'],
  ['two  spaces ', "'two  spaces '"],
  ["it's", "'it'\\''s'"],
  ['ü\u200bx', "$'ü\\U0000200bx'"],
  ["line\nend's \\ \u001b[31m", "$'line\\x0aend\\'s \\\\ \\x1b[31m'"],
])('the marker of the next page after %j is a shell word for exactly this key', (key, word) => {
  expect(markerOf(key)).toBe(word)
  const printed = execFileSync('bash', ['-c', `printf %s ${word}`], { env: { ...process.env, LC_ALL: 'C.UTF-8' } })
  expect(printed.toString()).toBe(key)
})

test('the marker of a key that looks like a flag is joined to its flag', () => {
  expect(pageText({ folders: [{ name: '-k', prefix: '-k/' }], objects: [], has_more: true, next_marker: '-k/' })).toMatch(
    /\nMore: --after=-k\/$/,
  )
})
