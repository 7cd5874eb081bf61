import { afterEach, expect, test, vi } from 'vitest'
import { findInPalette } from './find-in-palette.ts'

afterEach(() => vi.unstubAllGlobals())

const answers: Readonly<Record<string, unknown>> = {
  '/api/v1/buckets': [{ name: 'photos' }],
  '/api/v1/settings': { metadata: { 's3.port': { label: 'Port of S3' } } },
}

test.each([
  ['p', ['/buckets'], ['photos']],
  ['po', ['/buckets', '/settings'], ['Setting: Port of S3 (s3.port)']],
  ['photos/a', ['/buckets', '/buckets/photos/objects?prefix=a&delimiter=%2F&limit=8'], ['photos/a.jpg']],
])('for "%s" it asks for %j', async (text, routes, labels) => {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path.replace('/api/v1', ''))
    return new Response(JSON.stringify(answers[path] ?? { folders: [], objects: [{ key: 'a.jpg' }] }))
  })
  expect([(await findInPalette(text)).map(({ label }) => label), asked]).toEqual([labels, routes])
})
