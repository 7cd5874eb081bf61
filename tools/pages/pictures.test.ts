/** The pictures of the dashboard in the docs: all are shown, all exist, and none is too large for a page. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { listPictures } from '../../e2e/pictures/pictures.ts'
import { root } from '../source-files.ts'

const count = 27
const bytesMax = { picture: 100 * 1024, all: 1.5 * 1024 * 1024 }
const folder = 'docs/guide/dashboard'
const files = readdirSync(join(root, folder)).sort()
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Images of a page as paths from the root, with their descriptions. */
function imagesOf(page: string): readonly { readonly path: string; readonly says: string }[] {
  const found = read(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)|<img\s[^>]*?src="([^"]+)"[^>]*?alt="([^"]*)"/g)
  return [...found].map(([, markdownText, markdownPath, path, text]) => ({
    path: join(dirname(page), markdownPath ?? path ?? ''),
    says: markdownText ?? text ?? '',
  }))
}

test('the page of the dashboard shows every picture once, and npm run pictures takes exactly these', () => {
  const shown = imagesOf('docs/guide/dashboard.md').map(({ path }) => relative(folder, path))
  expect([...shown].sort()).toEqual(files)
  expect(files).toHaveLength(count)
  const taken = listPictures({ replaced: 1, provider: '1' }).map(({ name }) => `${name}.webp`)
  expect(taken.sort()).toEqual(files)
})

test('every picture is a WebP file within its size', () => {
  const found = files.map((name) => ({ name, bytes: readFileSync(join(root, folder, name)) }))
  const isWebp = (bytes: Buffer) => bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  expect(found.filter(({ bytes }) => !isWebp(bytes) || bytes.length !== bytes.readUInt32LE(4) + 8).map(({ name }) => name)).toEqual([])
  expect(found.filter(({ bytes }) => bytes.length > bytesMax.picture).map(({ name }) => name)).toEqual([])
  expect(found.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(bytesMax.all)
})

test('every picture on a page exists and has a description', () => {
  const guides = readdirSync(join(root, 'docs/guide')).filter((name) => name.endsWith('.md'))
  const images = ['README.md', ...guides.map((name) => join('docs/guide', name))].flatMap(imagesOf)
  const broken = images.filter(({ path, says }) => dirname(path) !== folder || !files.includes(basename(path)) || says.trim().length < 15)
  expect(broken).toEqual([])
  expect(images.length).toBeGreaterThan(count)
})
