import { expect, test } from 'vitest'
import { operationTable, subResources } from '../operations/table/operation-table.ts'
import { type Level, levels, methods } from '../operations/table/row.ts'
import { readHeaders } from '../wire/headers.ts'
import { S3Error } from '../wire/s3-error.ts'
import { parseTarget } from '../wire/target.ts'
import { routeOperation } from './router.ts'

const paths: Readonly<Record<Level, string>> = { service: '/', bucket: '/b', object: '/b/k' }

function route(method: string, url: string, headers: Readonly<Record<string, string>> = {}): string {
  const target = parseTarget(url, { host: undefined, virtualHostDomains: [] })
  return routeOperation({ method, target, headers: readHeaders(Object.entries(headers).flat()) }).name
}

const codeOf = (call: () => string): string => {
  try {
    return call()
  } catch (error) {
    if (error instanceof S3Error) return error.code
    throw error
  }
}

const plain = new Set(operationTable.filter(({ subResource }) => subResource === undefined).map(({ name }) => name))

const everyUse = [...subResources].flatMap((subResource) =>
  levels.flatMap((level) =>
    [...methods.filter((method) => method !== 'OPTIONS'), 'PATCH'].map((method) => ({ subResource, level, method })),
  ),
)

test('a request with a sub-resource is the operation of that level and method, or refused; never a plain operation', () => {
  expect(subResources.size).toBe(40)
  for (const { subResource, level, method } of everyUse) {
    const query = subResource === 'uploadId' ? 'uploadId=u&partNumber=1' : subResource
    const found = codeOf(() => route(method, `${paths[level]}?${query}`))
    const rows = operationTable.filter((row) => row.level === level && row.method === method && row.subResource === subResource)
    const expected = rows.length === 0 ? ['MethodNotAllowed'] : rows.map(({ name }) => name)
    expect(expected, `${method} ${level} ?${subResource}`).toContain(found)
    expect(plain.has(found), `${method} ${level} ?${subResource}`).toBe(false)
  }
})

test('each operation is found by its method, level, sub-resource and variant', () => {
  const examples: Readonly<Record<string, { query?: string; headers?: Readonly<Record<string, string>> }>> = {
    ListObjectsV2: { query: 'list-type=2' },
    PostObject: { headers: { 'content-type': 'Multipart/Form-Data; boundary=x' } },
    CopyObject: { headers: { 'x-amz-copy-source': '/b/other' } },
    UploadPart: { query: 'partNumber=1' },
    UploadPartCopy: { query: 'partNumber=1', headers: { 'x-amz-copy-source': '/b/other' } },
  }
  for (const { name, level, method, subResource } of operationTable) {
    const { query, headers } = examples[name] ?? { query: /^Get.*(Analytics|Inventory|Metrics|Tiering)/.test(name) ? 'id=1' : undefined }
    const parts = [subResource, query].filter((part) => part !== undefined)
    expect(route(method, `${paths[level]}?${parts.join('&')}`, headers)).toBe(name)
  }
})

test.each([
  ['GET', '/b/k?x-id=GetObject', 'GetObject'],
  ['PUT', '/b/k?x-id=PutObject', 'PutObject'],
  ['GET', '/b?metadata=true&list-type=2', 'ListObjectsV2'],
  ['GET', '/b/k?versionId=v&partNumber=1', 'GetObject'],
  ['GET', '/b/k?response-content-type=text%2Fplain', 'GetObject'],
  ['POST', '/b/k?select&select-type=2', 'SelectObjectContent'],
  ['OPTIONS', '/b/k?tagging', 'CorsPreflight'],
  ['OPTIONS', '/b?delete', 'CorsPreflight'],
])('%s %s is %s', (method, url, name) => {
  expect(route(method, url)).toBe(name)
})

test('an operation without a handler needs an action, so that permission is asked before the answer that it is not implemented', () => {
  const open = operationTable.filter(({ action }) => action === undefined).map(({ name }) => name)
  expect(new Set(open)).toEqual(new Set(['CorsPreflight']))
})
