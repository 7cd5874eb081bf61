import { expect, test } from 'vitest'
import { previewLimits, previewOf } from './preview-policy.ts'

const shown = (contentType: string, more: { readonly key?: string; readonly size?: number; readonly contentEncoding?: string } = {}) =>
  previewOf({ key: 'k', size: 100, contentType, ...more })
const text = { kind: 'text', type: 'text/plain; charset=utf-8', bytes: 100 }

test.each([
  'text/html',
  'TEXT/HTML; charset=x',
  'image/svg+xml',
  'application/xhtml+xml',
  'application/json',
  'text/javascript',
  'text/xml',
])('%s is shown as plain text: it never runs', (type) => {
  expect(shown(type)).toEqual(text)
})

test.each([
  ['image/png', 'image'],
  ['application/pdf', 'pdf'],
  ['audio/mpeg', 'audio'],
  ['video/mp4', 'video'],
])('%s is shown as %s', (type, kind) => {
  expect(shown(type)).toMatchObject({ kind, type })
})

test.each(['application/zip', 'image/x-unknown', 'multipart/x-mixed-replace', 'application/x-shockwave-flash', 'video/x-flv'])(
  '%s is not shown',
  (type) => {
    expect(shown(type)).toBeUndefined()
  },
)

test('the name decides only for uploads without a type', () => {
  expect(shown('application/octet-stream', { key: 'a/b.JSON' })).toEqual(text)
  expect(shown('binary/octet-stream', { key: 'x.png' })).toMatchObject({ type: 'image/png' })
  expect(shown('application/zip', { key: 'x.png' })).toBeUndefined()
  expect(shown('application/octet-stream', { key: 'png' })).toBeUndefined()
  expect(shown('application/octet-stream', { key: 'a.txt/b' })).toBeUndefined()
})

test('texts are cut; images and documents above their limit and encoded bytes are not shown', () => {
  expect(shown('text/plain', { size: previewLimits.text + 1 })?.bytes).toBe(previewLimits.text)
  expect(shown('image/png', { size: previewLimits.image })).toBeDefined()
  expect(shown('image/png', { size: previewLimits.image + 1 })).toBeUndefined()
  expect(shown('application/pdf', { size: previewLimits.pdf + 1 })).toBeUndefined()
  expect(shown('video/mp4', { size: previewLimits.pdf * 100 })).toBeDefined()
  expect(shown('text/plain', { contentEncoding: 'gzip' })).toBeUndefined()
})
