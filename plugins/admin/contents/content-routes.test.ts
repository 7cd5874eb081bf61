import { afterAll, beforeAll, expect, test } from 'vitest'
import { promised, type TestKernel, testKernel } from '#kernel/testing'
import { buckets, objects } from '#plugins/storage'
import { storagePlugin } from '../../storage/plugin.ts'
import { chunksOf } from '../../storage/testing/object-storage.ts'
import { adminPlugin } from '../plugin.ts'
import { objectMetadata } from './content-api.ts'
import { previewLimits } from './preview-policy.ts'

let svc: TestKernel
const bucket = '/api/v1/buckets/photos'

beforeAll(async () => {
  svc = await testKernel({ plugins: [storagePlugin, adminPlugin] })
  await svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
})
afterAll(() => svc.stop())

const put = (key: string, contentType: string, text: string, more: object = {}) => {
  const body = Buffer.from(text.padEnd(200))
  const headers = { contentType, system: {}, user: {}, ...more }
  return svc.kernel.get(objects).put({ bucket: 'photos', key, body: chunksOf(body), size: body.length, headers })
}
const preview = (key: string, headers: Readonly<Record<string, string>> = {}) =>
  svc.fetch(`${bucket}/objects/preview?key=${encodeURIComponent(key)}`, { headers })

test.each([
  ['page.html', 'text/html', '<script>alert(1)</script>'],
  ['image.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'],
  ['page.xhtml', 'application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></html>'],
])('%s is plain text in a sandbox without rights, and its type is not guessed', async (key, type, text) => {
  await put(key, type, text)
  const answer = await preview(key)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  expect(answer.headers.get('content-security-policy')).not.toContain('allow-scripts')
  expect(answer.headers.get('content-disposition')).toMatch(/^inline/)
  expect((await answer.text()).trim()).toBe(text)
})

test('a PDF is in a document that loads nothing; a type without preview is refused', async () => {
  await put('a.pdf', 'application/pdf', '%PDF-1.4')
  const answer = await preview('a.pdf')
  expect(answer.headers.get('content-type')).toBe('application/pdf')
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(answer.headers.get('content-security-policy')).not.toContain('script-src')
  await put('a.zip', 'application/zip', 'PK')
  expect((await preview('a.zip')).status).toBe(415)
  expect((await preview('absent')).status).toBe(404)
})

test('players read ranges of a video', async () => {
  await put('v.mp4', 'video/mp4', Array.from({ length: 100 }, (_, at) => String(at).padStart(3, '0')).join(''))
  const part = await preview('v.mp4', { range: 'bytes=3-8' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 3-8/300', '001002'])
  expect((await preview('v.mp4')).status).toBe(200)
  expect((await preview('v.mp4', { range: 'bytes=300-' })).status).toBe(416)
})

test('a long text is cut on the server', async () => {
  await put('long.txt', 'text/plain', 'a'.repeat(previewLimits.text + 1000))
  const answer = await preview('long.txt')
  expect((await answer.arrayBuffer()).byteLength).toBe(previewLimits.text)
})

test('headers, metadata and tags are shown, and whether there is a preview', async () => {
  await put('told.json', 'application/json', '{}', {
    system: { 'cache-control': 'no-cache' },
    user: { camera: 'x100' },
    tags: { project: 'films' },
  })
  const show = async (key: string) => promised(objectMetadata, await svc.call('GET', `${bucket}/objects/metadata?key=${key}`))
  expect(await show('told.json')).toMatchObject({
    content_type: 'application/json',
    headers: [{ name: 'cache-control', value: 'no-cache' }],
    metadata: [{ name: 'camera', value: 'x100' }],
    tags: [{ name: 'project', value: 'films' }],
    preview: { kind: 'text', bytes: 200 },
  })
  await put('zipped', 'application/zip', 'PK')
  expect(await show('zipped')).not.toHaveProperty('preview')
  await svc.kernel.get(objects).delete('photos', 'zipped')
  expect((await svc.call('GET', `${bucket}/objects/metadata?key=zipped`)).status).toBe(409)
})
