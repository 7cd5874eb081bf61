/** Compares lists with the model, page after page. */
import { expect } from 'vitest'
import type { BucketModel, ModelPage, ModelPageRequest } from './bucket-model.ts'
import { all, fieldsOf, readXml, type XmlNode } from './model-client.ts'
import type { ModelContext } from './model-context.ts'
import type { ListStep } from './model-steps.ts'

/** Above the entries of any model. */
const pagesMax = 200

type Field = (name: string) => string | undefined

interface ListKind {
  /** Sub-resource or type. */
  readonly query: Readonly<Record<string, string>>
  readonly names: { readonly limit: string; readonly after: string; readonly afterId?: string }
  page(model: BucketModel, request: ModelPageRequest): { readonly entries: readonly unknown[] } & Omit<ModelPage<unknown>, 'entries'>
  entries(root: XmlNode, decode: (text: string) => string): readonly unknown[]
}

const tag = (field: Field) => (field('ETag') ?? '').replaceAll('"', '')
const read = <Value>(node: XmlNode, toValue: (field: Field) => Value): Value => {
  const fields = fieldsOf(node)
  return toValue((name) => fields.get(name))
}

const objects: Pick<ListKind, 'page' | 'entries'> = {
  page(model, request) {
    const page = model.listObjects(request)
    return { ...page, entries: page.entries.map(({ key, version: { etag, bytes } }) => ({ key, etag, size: bytes?.length })) }
  },
  entries: (root, decode) =>
    all(root, 'Contents').map((node) =>
      read(node, (field) => ({ key: decode(field('Key') ?? ''), etag: tag(field), size: Number(field('Size')) })),
    ),
}

const kinds: Readonly<Record<ListStep['of'], ListKind>> = {
  v1: { ...objects, query: {}, names: { limit: 'max-keys', after: 'marker' } },
  v2: { ...objects, query: { 'list-type': '2' }, names: { limit: 'max-keys', after: 'start-after' } },
  versions: {
    query: { versions: '' },
    names: { limit: 'max-keys', after: 'key-marker', afterId: 'version-id-marker' },
    page(model, request) {
      const page = model.listVersions(request)
      const entries = page.entries.map(({ key, version: { versionId, bytes, etag }, isLatest }) => ({
        key,
        versionId,
        isLatest,
        ...(bytes ? { etag, size: bytes.length } : { isMarker: true }),
      }))
      return { ...page, entries }
    },
    entries: (root, decode) =>
      root.children
        .filter(({ name }) => name === 'Version' || name === 'DeleteMarker')
        .map((node) =>
          read(node, (field) => ({
            key: decode(field('Key') ?? ''),
            versionId: field('VersionId'),
            isLatest: field('IsLatest') === 'true',
            ...(node.name === 'Version' ? { etag: tag(field), size: Number(field('Size')) } : { isMarker: true }),
          })),
        ),
  },
  uploads: {
    query: { uploads: '' },
    names: { limit: 'max-uploads', after: 'key-marker', afterId: 'upload-id-marker' },
    page(model, request) {
      const page = model.listUploads(request)
      return { ...page, entries: page.entries.map(({ key, uploadId }) => ({ key, uploadId })) }
    },
    entries: (root, decode) =>
      all(root, 'Upload').map((node) => read(node, (field) => ({ key: decode(field('Key') ?? ''), uploadId: field('UploadId') }))),
  },
}

/** Follows the markers of the server to the last page; every page must be that of the model. */
export async function compareList(on: ModelContext, step: ListStep): Promise<void> {
  const [kind, model] = [kinds[step.of], on.model(step)]
  const delimiter = on.delimiter(step)
  let request: ModelPageRequest = { prefix: on.text(step.prefix), delimiter, limit: step.limit, ...markersOf(on, step) }
  let token: string | undefined
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const { answer, next } = await readPage(on, step, request, token)
    const { last, ...page } = kind.page(model, request)
    expect(answer).toEqual(page)
    expect(next.name).toBe(nameOf(request, step.of, page.isTruncated ? last?.name : undefined))
    if (kind.names.afterId) expect(next.id).toBe(page.isTruncated ? last?.id : undefined)
    expect(next.token !== undefined).toBe(step.of === 'v2' && page.isTruncated)
    if (!page.isTruncated || last === undefined) return
    token = next.token
    request = { ...request, after: last.name, afterId: last.id }
  }
  throw new Error(`the list has more than ${pagesMax} pages`)
}

/** The marker that the page names: with v1 only for groups, with v2 none. */
function nameOf({ delimiter }: ModelPageRequest, of: ListStep['of'], last: string | undefined) {
  const isNamed = of === 'v2' ? false : of === 'v1' ? delimiter !== '' : true
  return isNamed ? last : undefined
}

function markersOf(on: ModelContext, step: ListStep): Pick<ModelPageRequest, 'after' | 'afterId'> {
  const { of, afterEntry } = step
  const [model, after] = [on.model(step), on.text(step.after)]
  if (afterEntry === undefined) return { after }
  if (of === 'uploads') {
    const upload = model.uploads[afterEntry % Math.max(1, model.uploads.length)]
    return upload ? { after: upload.key, afterId: upload.uploadId } : { after }
  }
  const every = model.all()
  const version = every[afterEntry % Math.max(1, every.length)]
  if (!version) return { after }
  return of === 'versions' ? { after: version.key, afterId: version.id } : { after: version.key }
}

async function readPage(on: ModelContext, step: ListStep, request: ModelPageRequest, token: string | undefined) {
  const kind = kinds[step.of]
  const { names, entries } = kind
  const { prefix, delimiter, after, afterId, limit } = request
  const query = {
    ...kind.query,
    [names.limit]: limit,
    prefix: prefix || undefined,
    delimiter: delimiter || undefined,
    ...(token === undefined ? { [names.after]: after || undefined } : { 'continuation-token': token }),
    ...(names.afterId && { [names.afterId]: afterId }),
    ...(step.isEncoded && { 'encoding-type': 'url' }),
  }
  const answer = await on.send('GET', step, '', { query })
  expect(answer).toMatchObject({ status: 200, code: '' })
  const root = readXml(answer.bytes)
  const decode = (text: string) => (step.isEncoded ? decodeURIComponent(text) : text)
  return read(root, (field) => {
    expect({
      prefix: decode(field('Prefix') ?? ''),
      delimiter: decode(field('Delimiter') ?? ''),
      limit: Number(field(step.of === 'uploads' ? 'MaxUploads' : 'MaxKeys')),
    }).toEqual({ prefix, delimiter, limit })
    const name = field('NextMarker') ?? field('NextKeyMarker')
    return {
      answer: {
        entries: entries(root, decode),
        commonPrefixes: all(root, 'CommonPrefixes').map((group) => decode(fieldsOf(group).get('Prefix') ?? '')),
        isTruncated: field('IsTruncated') === 'true',
      },
      next: {
        name: name === undefined ? undefined : decode(name),
        id: field('NextVersionIdMarker') ?? field('NextUploadIdMarker'),
        token: field('NextContinuationToken'),
      },
    }
  })
}
