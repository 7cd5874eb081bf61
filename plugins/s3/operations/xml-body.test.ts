import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openRequestBody } from '../auth/request-body.ts'
import { versioningDocument } from '../documents/versioning-configuration.ts'
import { readHeaders } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import { readXmlBody } from './xml-body.ts'

const xml = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
const md5 = hash('md5', xml, 'base64')

function requestWith(sent: Readonly<Record<string, string>>, body: string, holdMemory = (_bytes: number) => {}) {
  const length = sent['transfer-encoding'] === undefined ? { 'content-length': String(body.length) } : {}
  const headers = readHeaders(Object.entries({ ...length, ...sent }).flat())
  async function* wire() {
    for (const character of body) yield Buffer.from(character)
  }
  const openBody = () => openRequestBody({ wire: wire(), headers, authentication: undefined, defaultChecksum: undefined })
  return { headers, openBody, holdMemory }
}

const read = (sent: Readonly<Record<string, string>>, body = xml, needsDigest = false) =>
  readXmlBody(requestWith(sent, body), versioningDocument, { bytesMax: 100, needsDigest })

test('an XML body is read, with the digests that its client sends', async () => {
  expect(await read({})).toEqual({ status: 'Enabled' })
  expect(await read({ 'content-md5': md5 }, xml, true)).toEqual({ status: 'Enabled' })
  expect(await read({ 'x-amz-checksum-sha256': hash('sha256', xml, 'base64') }, xml, true)).toEqual({ status: 'Enabled' })
})

test.each([
  ['a wrong Content-MD5', { 'content-md5': hash('md5', 'other', 'base64') }, xml, false, 'BadDigest'],
  ['a wrong checksum', { 'x-amz-checksum-sha1': hash('sha1', 'other', 'base64') }, xml, false, 'BadDigest'],
  ['no digest, where one is needed', {}, xml, true, 'InvalidRequest'],
  ['fewer bytes than declared', { 'content-length': '90' }, xml, false, 'IncompleteBody'],
  ['more declared bytes than allowed', { 'content-length': '101' }, xml, false, 'MalformedXML'],
  ['more bytes than allowed', { 'transfer-encoding': 'chunked' }, `${xml}${' '.repeat(100)}`, false, 'MalformedXML'],
  ['no bytes', {}, '', false, 'MalformedXML'],
  ['another document', {}, '<Delete/>', false, 'MalformedXML'],
] as const)('an XML body with %s is refused', async (...[, sent, body, needsDigest, code]) => {
  await expect(read(sent, body, needsDigest)).rejects.toMatchObject({ code })
})

test.each([
  ['no Content-Length', {}],
  ['a chunked body without bytes', { 'transfer-encoding': 'chunked' }],
])('an optional XML body may be absent: %s', async (_, sent) => {
  const headers = readHeaders(Object.entries(sent).flat())
  const request = { ...requestWith({}, ''), headers }
  expect(await readXmlBody(request, versioningDocument, { bytesMax: 100, mayBeEmpty: true })).toBeUndefined()
})

test('memory is taken for each byte that arrives, not for those that are declared, and refused memory ends the body', async () => {
  let held = 0
  const take = (bytes: number) => {
    held += bytes
  }
  await readXmlBody(requestWith({ 'transfer-encoding': 'chunked' }, xml, take), versioningDocument, { bytesMax: 100 })
  expect(held).toBe(8 * xml.length)
  held = 0
  const narrow = requestWith({}, xml, (bytes) => {
    if (held === 8 * 10) throw new S3Error('SlowDown')
    take(bytes)
  })
  await expect(readXmlBody(narrow, versioningDocument, { bytesMax: 100 })).rejects.toMatchObject({ code: 'SlowDown' })
  expect(held).toBe(8 * 10)
})
