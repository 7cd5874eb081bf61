/** Steps on uploads in parts. */
import { expect } from 'vitest'
import { type ModelUpload, md5, partBytesMin } from './bucket-model.ts'
import { all, fieldsOf, readXml, type WireAnswer } from './model-client.ts'
import { answered, type ModelContext, noteHeader, pick, versionOf } from './model-context.ts'
import { sourceOf } from './model-objects.ts'
import type { CompleteStep, CopyPartStep, CreateUploadStep, ListPartsStep, OnUpload, PartStep } from './model-steps.ts'

type Sent = Parameters<ModelContext['send']>[3]
type Place = Pick<ModelUpload, 'key' | 'uploadId'> & { readonly bucket: number }

const largeParts = [0x61, 0x62].map((letter) => Buffer.alloc(partBytesMin, letter))
const hex = (bytes: Buffer) => md5(bytes).toString('hex')

function onUpload(on: ModelContext, method: string, { bucket, key, uploadId }: Place, sent: Sent & { readonly query?: object } = {}) {
  return on.send(method, { bucket }, key, { ...sent, query: { uploadId, ...sent.query } })
}

export async function createUpload(on: ModelContext, step: CreateUploadStep): Promise<void> {
  const key = on.key(step)
  const { bytes } = await answered(200, '', on.send('POST', step, key, { query: { uploads: '' }, headers: noteHeader(step.note) }))
  const uploadId = fieldsOf(readXml(bytes)).get('UploadId') ?? ''
  on.model(step).uploads.push({ key, uploadId, note: step.note, parts: new Map() })
}

export async function putPart(on: ModelContext, step: PartStep): Promise<void> {
  const upload = on.upload(step)
  if (upload === undefined) return
  const body = (step.isLarge && pick(largeParts, step.body.length)) || Buffer.from(step.body)
  const query = { partNumber: step.number }
  const { headers } = await answered(200, '', onUpload(on, 'PUT', { ...upload, bucket: step.bucket }, { query, body }))
  expect(headers.etag).toBe(`"${hex(body)}"`)
  upload.parts.set(step.number, body)
}

export async function copyPart(on: ModelContext, step: CopyPartStep): Promise<void> {
  const upload = on.upload(step)
  if (upload === undefined) return
  const [key, { range }] = [on.key(step.source), step]
  const live = on.model(step.source).live(key)
  const headers = {
    'x-amz-copy-source': sourceOf(on, step.source, key),
    ...(range && { 'x-amz-copy-source-range': `bytes=${range[0]}-${range[1]}` }),
  }
  const sent = onUpload(on, 'PUT', { ...upload, bucket: step.bucket }, { query: { partNumber: step.number }, headers })
  if (range && range[1] < range[0]) return void (await answered(400, 'InvalidArgument', sent))
  if (!live?.bytes) return void (await answered(404, 'NoSuchKey', sent))
  if (range && range[1] >= live.bytes.length) return void (await answered(416, 'InvalidRange', sent))
  const part = range ? live.bytes.subarray(range[0], range[1] + 1) : live.bytes
  const { bytes } = await answered(200, '', sent)
  expect(fieldsOf(readXml(bytes)).get('ETag')).toBe(`"${hex(part)}"`)
  upload.parts.set(step.number, part)
}

export async function complete(on: ModelContext, step: CompleteStep): Promise<void> {
  const upload = on.upload(step)
  if (upload === undefined) return
  const numbers = [...upload.parts.keys()].sort((left, right) => left - right).filter((_, at) => ((step.without >> at) & 1) === 0)
  const named = numbers.map((number) => ({ number, etag: hex(upload.parts.get(number) ?? Buffer.alloc(0)) }))
  if (step.flaw === 'order') named.reverse()
  if (step.flaw === 'etag') named.splice(-1, 1, ...named.slice(-1).map(({ number }) => ({ number, etag: hex(Buffer.from('other')) })))
  if (step.flaw === 'unknown part') named.push({ number: 9999 + Number(upload.parts.has(9999)), etag: hex(Buffer.alloc(0)) })
  const parts = named.map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`)
  const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
  const sent = onUpload(on, 'POST', { ...upload, bucket: step.bucket }, { body })
  const refusal = refusalOf(
    upload,
    named.map(({ number }) => number),
    step.flaw,
  )
  if (refusal !== undefined) return void (await answered(400, refusal, sent))
  const answer = await answered(200, '', sent)
  const version = on.model(step).complete(upload, numbers, versionOf(answer))
  expect(fieldsOf(readXml(answer.bytes)).get('ETag')).toBe(`"${version.etag}"`)
  const { key, uploadId } = upload
  on.completed.push({ bucket: step.bucket, key, uploadId, body, version })
}

function refusalOf({ parts }: ModelUpload, numbers: readonly number[], flaw: CompleteStep['flaw']): string | undefined {
  if (numbers.length === 0) return 'MalformedXML'
  if (numbers.some((number, at) => at > 0 && number <= (numbers[at - 1] ?? 0))) return 'InvalidPartOrder'
  if (flaw === 'etag' || flaw === 'unknown part') return 'InvalidPart'
  return numbers.slice(0, -1).some((number) => (parts.get(number)?.length ?? 0) < partBytesMin) ? 'EntityTooSmall' : undefined
}

/** A client that lost the answer repeats the completion. */
export async function completeAgain(on: ModelContext, { completed: at }: { readonly completed: number }): Promise<void> {
  const completed = pick(on.completed, at)
  if (completed === undefined) return
  const sent = onUpload(on, 'POST', completed, { body: completed.body })
  const exists = on.model(completed).find(completed.key, completed.version.versionId) !== undefined
  if (!exists) return void (await answered(404, 'NoSuchUpload', sent))
  expect(versionOf(await answered(200, '', sent))).toBe(completed.version.versionId)
}

export async function abort(on: ModelContext, step: OnUpload): Promise<void> {
  const upload = on.upload(step)
  if (upload === undefined) return
  const place = { ...upload, bucket: step.bucket }
  await answered(204, '', onUpload(on, 'DELETE', place))
  on.model(step).close(upload.uploadId)
  await answered(404, 'NoSuchUpload', onUpload(on, 'DELETE', place))
}

export async function listParts(on: ModelContext, step: ListPartsStep): Promise<void> {
  const upload = on.upload(step)
  if (upload === undefined) return
  const query = { 'max-parts': step.limit, 'part-number-marker': step.after }
  const answer = await answered(200, '', onUpload(on, 'GET', { ...upload, bucket: step.bucket }, { query }))
  compareParts(answer, upload, step)
}

function compareParts({ bytes }: WireAnswer, { parts }: ModelUpload, { after, limit }: ListPartsStep): void {
  const root = readXml(bytes)
  const rest = [...parts].sort(([left], [right]) => left - right).filter(([number]) => number > after)
  const shown = rest.slice(0, limit).map(([number, part]) => [String(number), `"${hex(part)}"`, String(part.length)])
  const listed = all(root, 'Part').map(fieldsOf)
  expect(listed.map((part) => [part.get('PartNumber'), part.get('ETag'), part.get('Size')])).toEqual(shown)
  const fields = fieldsOf(root)
  expect({ isTruncated: fields.get('IsTruncated'), next: fields.get('NextPartNumberMarker') }).toEqual({
    isTruncated: String(limit > 0 && rest.length > limit),
    next: shown.at(-1)?.[0] ?? String(after),
  })
}
