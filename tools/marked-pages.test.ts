import { expect, test } from 'vitest'
import { findLongPages, findLostLinks } from './check-pages.ts'
import { writeRecipesPage, writeWalksPage } from './marked-pages.ts'

const walks = (...texts: string[]) =>
  writeWalksPage(texts.map((text, index) => ({ path: `plugins/file-${index}.ts`, text: `${text}\nexport {}\n` })))

test('the page of walks orders the files of a walk by their steps', () => {
  const page = walks('/** @walk put 2: writes the bytes */', '/**\n * Text.\n * @walk put 1: reads headers\n */')
  expect(page).toContain(
    '1. [plugins/file-1.ts](../../plugins/file-1.ts) reads headers.\n2. [plugins/file-0.ts](../../plugins/file-0.ts) writes the bytes.',
  )
})

test('a gap, a repetition and an unknown walk are refused', () => {
  expect(() => walks('/** @walk put 2: writes */')).toThrow('step 2 of the walk put')
  expect(() => walks('/** @walk put 1: reads */', '/** @walk put 1: writes */')).toThrow('step 1 of the walk put')
  expect(() => walks('/** @walk way 1: reads */')).toThrow('there is no walk way')
})

test('a recipe is the rest of its comment', () => {
  const text = '/**\n * @recipe a route\n * Write a group.\n *\n * ```ts\n * /** Comment. *\\/\n * ```\n */\nexport {}\n'
  expect(writeRecipesPage([{ path: 'kernel/routes.ts', text }])).toContain(
    '## a route\n\nWrite a group.\n\n```ts\n/** Comment. */\n```\n\nIn [kernel/routes.ts]',
  )
})

test('pages above their limit are named', () => {
  expect(findLongPages([{ path: 'CONTRIBUTING.md', text: 'x'.repeat(8_193) }])).toEqual(['CONTRIBUTING.md has 8193 bytes, more than 8192'])
  expect(findLongPages([{ path: 'docs/adr/0001-a.md', text: 'word '.repeat(720) }])).toEqual([
    'docs/adr/0001-a.md has 721 words, more than 720',
  ])
  expect(findLongPages([{ path: 'docs/adr/0001-a.md', text: 'word '.repeat(700) }])).toEqual([])
})

test('a link to a file that does not exist is a problem; addresses and places in the same page are not', () => {
  const text = '[a](b.md) [c](../c.md#part) [d](https://example.org/d) [e](#e) [f](gone.md#part) `[g](code.md)`'
  expect(findLostLinks([{ path: 'docs/adr/a.md', text }], (path) => ['docs/adr/b.md', 'docs/c.md'].includes(path))).toEqual([
    'docs/adr/a.md links to gone.md, which does not exist',
  ])
})
