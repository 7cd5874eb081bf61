/** Steps on objects and versions. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { type ModelVersion, md5 } from './bucket-model.ts'
import { all, encodePath, fieldsOf, readXml, type WireAnswer } from './model-client.ts'
import { answered, type ModelContext, noteHeader, versionOf } from './model-context.ts'
import type { CopyStep, DeleteManyStep, DeleteVersionStep, OnKey, PutStep, ReadStep } from './model-steps.ts'

/** Characters that an XML 1.0 document cannot carry. */
const notInXml = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
const escapeXml = (text: string) => text.replace(/[^ -%'-;=?-~\u0080-\u{10ffff}]/gu, (one) => `&#x${one.codePointAt(0)?.toString(16)};`)

export async function put(on: ModelContext, step: PutStep): Promise<void> {
  const [model, key, body] = [on.model(step), on.key(step), Buffer.from(step.body)]
  const live = model.live(key)
  const conditions = {
    'if absent': { 'if-none-match': '*' },
    'if same': { 'if-match': `"${live?.etag ?? 'none'}"` },
    'if other': { 'if-match': '"other"' },
  }
  const headers = { ...noteHeader(step.note), ...(step.only && conditions[step.only]) }
  const sent = on.send('PUT', step, key, { headers, body })
  if (step.only === 'if absent' && live) return void (await answered(412, 'PreconditionFailed', sent))
  if (step.only !== undefined && step.only !== 'if absent' && !live) return void (await answered(404, 'NoSuchKey', sent))
  if (step.only === 'if other') return void (await answered(412, 'PreconditionFailed', sent))
  const answer = await answered(200, '', sent)
  expect(answer.headers.etag).toBe(`"${md5(body).toString('hex')}"`)
  model.put(key, body, { versionId: versionOf(answer), note: step.note })
}

export async function read(on: ModelContext, step: ReadStep): Promise<void> {
  const [model, key] = [on.model(step), on.key(step)]
  const versionId = step.version === undefined ? undefined : on.versionId(step, step.version)
  const version = versionId === undefined ? model.current(key) : model.find(key, versionId)
  const headers = { ...(step.range && { range: `bytes=${step.range[0]}-${step.range[1]}` }) }
  const answer = await on.send(step.isHead ? 'HEAD' : 'GET', step, key, { query: { versionId }, headers })
  const expected = expectedRead(version, versionId !== undefined, step.range)
  expect({ status: answer.status, code: answer.code, isMarker: answer.headers['x-amz-delete-marker'] === 'true' }).toEqual({
    status: expected.status,
    code: step.isHead ? '' : expected.code,
    isMarker: version !== undefined && !version.bytes,
  })
  if (expected.bytes === undefined) return
  compareBytes(answer, version, { bytes: expected.bytes, isHead: step.isHead })
}

function compareBytes(answer: WireAnswer, version: ModelVersion | undefined, read: { readonly bytes: Buffer; readonly isHead: boolean }) {
  const { etag, 'content-length': length, 'x-amz-meta-note': note } = answer.headers
  expect({ etag, length, note, versionId: versionOf(answer) }).toEqual({
    etag: `"${version?.etag}"`,
    length: String(read.bytes.length),
    note: version?.note,
    versionId: version?.versionId,
  })
  expect(answer.bytes.equals(read.isHead ? Buffer.alloc(0) : read.bytes)).toBe(true)
}

function expectedRead(version: ModelVersion | undefined, isNamed: boolean, range: ReadStep['range']) {
  if (version === undefined) return { status: 404, code: isNamed ? 'NoSuchVersion' : 'NoSuchKey' }
  const { bytes } = version
  if (bytes === undefined) return isNamed ? { status: 405, code: 'MethodNotAllowed' } : { status: 404, code: 'NoSuchKey' }
  // A range whose end is before its start is ignored.
  if (range === undefined || range[1] < range[0]) return { status: 200, code: '', bytes }
  if (range[0] >= bytes.length) return { status: 416, code: 'InvalidRange' }
  return { status: 206, code: '', bytes: bytes.subarray(range[0], range[1] + 1) }
}

export async function mark(on: ModelContext, step: OnKey): Promise<void> {
  const answer = await answered(204, '', on.send('DELETE', step, on.key(step)))
  expect(answer.headers['x-amz-delete-marker']).toBe('true')
  on.model(step).mark(on.key(step), versionOf(answer))
}

export async function deleteVersion(on: ModelContext, step: DeleteVersionStep): Promise<void> {
  await removeVersion(on, step, on.key(step), on.versionId(step, step.version))
}

export async function removeVersion(on: ModelContext, of: { readonly bucket: number }, key: string, versionId: string): Promise<void> {
  const removed = on.model(of).remove(key, versionId)
  const answer = await answered(204, '', on.send('DELETE', of, key, { query: { versionId } }))
  expect([versionOf(answer), answer.headers['x-amz-delete-marker']]).toEqual([versionId, removed && !removed.bytes ? 'true' : undefined])
}

export async function deleteMany(on: ModelContext, step: DeleteManyStep): Promise<void> {
  const items = step.items.map(({ key, version }) => ({
    key: on.key({ key }),
    versionId: version === undefined ? undefined : on.versionId({ ...step, key }, version),
  }))
  const objects = items.map(({ key, versionId }) => {
    const version = versionId === undefined ? '' : `<VersionId>${versionId}</VersionId>`
    return `<Object><Key>${escapeXml(key)}</Key>${version}</Object>`
  })
  const body = `<Delete>${objects.join('')}<Quiet>${step.isQuiet}</Quiet></Delete>`
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  const sent = on.send('POST', step, '', { query: { delete: '' }, headers, body })
  if (items.some(({ key }) => notInXml.test(key))) return void (await answered(400, 'MalformedXML', sent))
  const root = readXml((await answered(200, '', sent)).bytes)
  const deleted = all(root, 'Deleted').map(fieldsOf)
  const named = deleted.map((fields) => ({ key: fields.get('Key'), versionId: fields.get('VersionId') }))
  expect({ named, errors: all(root, 'Error') }).toEqual({ named: step.isQuiet ? [] : items, errors: [] })
  const removed = items.map(({ key, versionId }) => (versionId === undefined ? undefined : on.model(step).remove(key, versionId)))
  // A quiet answer names no marker: the list does.
  const added = await newMarkers(on, step)
  const markers = items.map(({ key, versionId }, at) =>
    versionId === undefined ? added.get(key)?.pop() : removed[at] && !removed[at].bytes ? versionId : undefined,
  )
  if (!step.isQuiet) expect(deleted.map((fields) => fields.get('DeleteMarkerVersionId'))).toEqual(markers)
  for (const [at, { key, versionId }] of items.entries()) if (versionId === undefined) on.model(step).mark(key, markers[at] ?? '')
}

/** Ids of the delete markers that the model does not have by key, newest first. */
async function newMarkers(on: ModelContext, of: { readonly bucket: number }): Promise<ReadonlyMap<string, string[]>> {
  const { bytes } = await answered(200, '', on.send('GET', of, '', { query: { versions: '', 'encoding-type': 'url' } }))
  const markers = new Map<string, string[]>()
  for (const fields of all(readXml(bytes), 'DeleteMarker').map(fieldsOf)) {
    const [key, versionId] = [decodeURIComponent(fields.get('Key') ?? ''), fields.get('VersionId') ?? '']
    if (!on.model(of).find(key, versionId)) markers.set(key, [...(markers.get(key) ?? []), versionId])
  }
  return markers
}

export async function copy(on: ModelContext, step: CopyStep): Promise<void> {
  const [sourceKey, key] = [on.key(step.source), on.key(step)]
  const versionId = step.source.version === undefined ? undefined : on.versionId(step.source, step.source.version)
  const source = versionId === undefined ? on.model(step.source).live(sourceKey) : on.model(step.source).find(sourceKey, versionId)
  const headers = {
    'x-amz-copy-source': sourceOf(on, step.source, sourceKey) + (versionId === undefined ? '' : `?versionId=${versionId}`),
    ...(step.note !== undefined && { 'x-amz-metadata-directive': 'REPLACE', ...noteHeader(step.note) }),
  }
  const sent = on.send('PUT', step, key, { headers })
  if (source === undefined) return void (await answered(404, versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion', sent))
  const isOntoItself = step.source.bucket === step.bucket && sourceKey === key && versionId === undefined
  if (!source.bytes || (isOntoItself && step.note === undefined)) return void (await answered(400, 'InvalidRequest', sent))
  const answer = await answered(200, '', sent)
  expect(fieldsOf(readXml(answer.bytes)).get('ETag')).toBe(`"${source.etag}"`)
  expect(answer.headers['x-amz-copy-source-version-id']).toBe(source.versionId)
  on.model(step).add(key, { ...source, versionId: versionOf(answer), note: step.note ?? source.note })
}

export const sourceOf = (on: ModelContext, { bucket }: { readonly bucket: number }, key: string): string =>
  `/${on.names[bucket]}/${encodePath(key)}`
