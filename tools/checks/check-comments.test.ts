import { expect, test } from 'vitest'
import { findFragments } from './check-comments.ts'

test.each([
  ['/** WORD the current version. */', 'Of'],
  ['/**\n * WORD: nothing is known.\n */', 'Undefined'],
  ['{/* WORD brotli. */}', 'With'],
  ['// WORD after a refusal.', 'Also'],
  ['const limit = 1 // WORD stream.', 'Per'],
])('finds a comment without its subject or verb at the beginning: %s', (code, word) => {
  expect(findFragments(`\n${code.replace('WORD', word)}`)).toEqual([{ word, line: 2 }])
})

test.each([
  '/** Bytes of the current version. */',
  '/** Returns undefined: nothing is known. */',
  '/** Offers a choice. */',
  `// The list stays open\n  // ${'As'} long as its line goes on.`,
])('accepts a comment that begins with its subject or its verb: %s', (code) => {
  expect(findFragments(code)).toEqual([])
})
