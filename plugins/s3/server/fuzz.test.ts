import {
  array,
  asyncProperty,
  constant,
  constantFrom,
  dictionary,
  integer,
  nat,
  oneof,
  record,
  string,
  stringMatching,
  uint8Array,
} from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { chunkedBody, framingKinds } from '../testing/chunked-body.ts'
import { assertRuns } from '../testing/fuzz-runs.ts'
import { expectWellFormed, startFuzzServer } from '../testing/fuzz-server.ts'
import { encodeQuery } from '../testing/model-client.ts'
import { type SignedRequestOptions, signedRequest } from '../testing/signed-request.ts'
import { owner } from '../testing/test-server.ts'

const seed = Buffer.alloc(300_000, 'seed ')
const testMsMax = process.env.SVC_FUZZ_FACTOR === undefined ? 240_000 : 0

let server: Awaited<ReturnType<typeof startFuzzServer>>

beforeAll(async () => {
  server = await startFuzzServer(seed, { settings: { body_idle_timeout: 2000 } })
})

afterEach(() => server.expectRest())

afterAll(() => server[Symbol.asyncDispose]())

function signed(request: Omit<SignedRequestOptions, 'user'>): Buffer {
  const { head, body } = signedRequest(server.port, { ...request, user: owner })
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

/** The bytes in pieces that end at the cuts. */
function inPieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((left, right) => left - right)
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

const cuts = array(nat(5000), { maxLength: 4 })

const damage = record({
  how: constantFrom('none', 'flip', 'cut', 'drop', 'repeat', 'insert'),
  at: nat(5000),
  length: integer({ min: 1, max: 40 }),
})

function damaged(bytes: Buffer, { how, at, length }: { readonly how: string; readonly at: number; readonly length: number }): Buffer {
  const from = at % bytes.length
  const [before, after] = [bytes.subarray(0, from), bytes.subarray(from)]
  if (how === 'flip') return Buffer.concat([before, Buffer.from([(after[0] ?? 0) ^ length]), after.subarray(1)])
  if (how === 'cut') return before
  if (how === 'drop') return Buffer.concat([before, after.subarray(length)])
  if (how === 'repeat') return Buffer.concat([before, after.subarray(0, length), after])
  return how === 'insert' ? Buffer.concat([before, Buffer.alloc(length, length), after]) : bytes
}

const payloads = {
  signed: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'signed-trailer': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'unsigned-trailer': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
} as const

test(
  'chunked bodies store exactly what was signed, or nothing',
  async () => {
    const chunks = array(uint8Array({ minLength: 1, maxLength: 400 }).map(Buffer.from), { maxLength: 5 })
    const lengthError = constantFrom(0, 0, 0, 1, -1)
    const bodies = record({ kind: constantFrom(...framingKinds), chunks, damage, cuts, lengthError })
    const property = asyncProperty(bodies, async ({ kind, chunks, damage, cuts, lengthError }) => {
      const content = Buffer.concat(chunks)
      const headers = {
        'x-amz-decoded-content-length': String(Math.max(0, content.length + lengthError)),
        ...(kind !== 'signed' && { 'x-amz-trailer': 'x-amz-checksum-sha256' }),
      }
      const bodyOf = (framing: Parameters<typeof chunkedBody>[2]) => damaged(chunkedBody(kind, chunks, framing).wire, damage)
      const request = signed({ method: 'PUT', url: '/photos/chunked', payload: payloads[kind], headers, bodyOf })
      const before = (await server.storage.versionsOf('photos', 'chunked')).length
      const [answer] = await server.attack({ pieces: inPieces(request, cuts) })
      if (answer === undefined) throw new Error('the server closed the connection without an answer')
      expectWellFormed(answer)
      const versions = await server.storage.versionsOf('photos', 'chunked')
      expect(versions).toHaveLength(before + Number(answer.status === 200))
      const newest = versions.at(-1)
      if (damage.how === 'none' && (lengthError === 0 || (content.length === 0 && lengthError < 0))) expect(answer.status).toBe(200)
      if (answer.status === 200) expect(await server.storage.text('chunked', newest?.versionId)).toBe(content.toString())
      for (const { versionId } of versions) await server.storage.versions.delete({ bucket: 'photos', key: 'chunked', versionId })
    })
    await assertRuns(property, 120)
  },
  testMsMax,
)

test(
  'a range is answered with its bytes, the whole object, or 416',
  async () => {
    const number = oneof(nat(20).map(String), constantFrom('', '299999', '300000', '99999999999999999999', '-1', 'a', '0x1', ' 1'))
    const ranges = oneof(
      record({ from: number, to: number }).map(({ from, to }) => `bytes=${from}-${to}`),
      constantFrom('bytes=0-1,3-4', 'items=0-1', 'bytes', 'bytes=', 'bytes=--', 'BYTES=0-1'),
      stringMatching(/^bytes=[0-9,-]{0,12}$/),
    )
    const property = asyncProperty(ranges, async (range) => {
      const [answer] = await server.attack({ pieces: [signed({ method: 'GET', url: '/photos/seed', headers: { range } })] })
      if (answer === undefined) throw new Error('the server closed the connection without an answer')
      expectWellFormed(answer)
      expect([200, 206, 416]).toContain(answer.status)
      const [, from, to] = /^bytes (\d+)-(\d+)\/300000$/.exec(answer.headers.get('content-range') ?? '') ?? []
      if (answer.status === 200) expect(answer.body.equals(seed)).toBe(true)
      if (answer.status === 206) expect(answer.body.equals(seed.subarray(Number(from), Number(to) + 1))).toBe(true)
    })
    await assertRuns(property, 60)
  },
  testMsMax,
)

const xmlTargets = [
  ['POST', '/photos?delete'],
  ['PUT', '/photos?tagging'],
  ['PUT', '/photos?cors'],
  ['PUT', '/photos?versioning'],
  ['PUT', '/photos?acl'],
  ['PUT', '/photos/seed?tagging'],
  ['PUT', '/new-bucket'],
  ['POST', '/photos/seed?uploadId=unknown'],
] as const

const xmlNames = ['Delete', 'Object', 'Key', 'Tagging', 'TagSet', 'Tag', 'Value', 'Quiet', 'CORSRule', 'Part', 'PartNumber', 'a:b', 'Size']
const xmlUnit = oneof(
  constantFrom(...xmlNames.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name}/>`])),
  constantFrom(
    '<!DOCTYPE a [<!ENTITY e "eeee">]>',
    '&e;',
    '&#0;',
    '&#x1;',
    '&#xD800;',
    '&lt;',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<?x ',
    '?>',
    '\0',
    '<a b="1" b="2">',
  ),
  string({ maxLength: 5 }),
)
const xmlBody = oneof(
  array(xmlUnit, { maxLength: 30 }).map((units) => Buffer.from(units.join(''))),
  uint8Array({ maxLength: 200 }).map(Buffer.from),
  constant(Buffer.from('<a>'.repeat(30_000))),
  constant(Buffer.from(`<Delete>${'<Object><Key>k</Key></Object>'.repeat(3000)}</Delete>`)),
  constant(Buffer.from(`<Delete ${Array.from({ length: 500 }, (_, index) => `a${index}="v"`).join(' ')}/>`)),
)

test(
  'no XML document makes the server fail',
  async () => {
    const property = asyncProperty(record({ target: constantFrom(...xmlTargets), body: xmlBody, cuts }), async ({ target, body, cuts }) => {
      const [method, url] = target
      const [answer] = await server.attack({ pieces: inPieces(signed({ method, url, body, payload: 'UNSIGNED-PAYLOAD' }), cuts) })
      if (answer === undefined) throw new Error('the server closed the connection without an answer')
      expectWellFormed(answer)
    })
    await assertRuns(property, 120)
  },
  testMsMax,
)

const hostile = oneof(
  constantFrom(
    '',
    '0',
    '1',
    '-1',
    '99999999999999999999',
    'NaN',
    '%',
    '/',
    '..',
    '*',
    '"',
    ',',
    ' ',
    'true',
    'url',
    '\u0001',
    'é',
    '😀',
    '\u{10ffff}',
  ),
  constant('x'.repeat(1500)),
  string({ unit: 'binary', maxLength: 8 }),
)
const parameters = [
  'acl',
  'cors',
  'delete',
  'tagging',
  'uploads',
  'uploadId',
  'partNumber',
  'versionId',
  'versions',
  'attributes',
  'location',
]
const listing = [
  'list-type',
  'prefix',
  'delimiter',
  'marker',
  'max-keys',
  'start-after',
  'continuation-token',
  'key-marker',
  'version-id-marker',
  'upload-id-marker',
  'encoding-type',
  'max-uploads',
  'max-parts',
  'part-number-marker',
  'response-content-type',
]
const headerNames = [
  'x-amz-copy-source',
  'x-amz-copy-source-range',
  'x-amz-metadata-directive',
  'x-amz-tagging',
  'x-amz-checksum-crc32',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-checksum-type',
  'x-amz-object-attributes',
  'x-amz-mp-object-size',
  'x-amz-decoded-content-length',
  'content-md5',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'range',
  'origin',
  'x-amz-expected-bucket-owner',
  'x-amz-if-match-size',
  'x-amz-acl',
  'content-encoding',
  'x-amz-meta-a',
  'x-amz-trailer',
  'expect',
]

test(
  'signed requests with any names and values are answered',
  async () => {
    const requests = record({
      method: constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'OPTIONS'),
      path: oneof(
        constantFrom('/', '/photos', '/photos/seed', '/photos/other', '/absent/key', '/photos//', '/photos/..'),
        hostile.map((text) => `/photos/${encodeURIComponent(text.replaceAll('\0', ''))}`),
      ),
      query: dictionary(oneof(constantFrom(...parameters), constantFrom(...listing)), hostile, { maxKeys: 3, noNullPrototype: true }),
      headers: dictionary(constantFrom(...headerNames), stringMatching(/^[!-~]{0,20}$/), { maxKeys: 3, noNullPrototype: true }),
      body: constantFrom('', 'x', '<a/>'),
    })
    const property = asyncProperty(requests, async ({ method, path, query, headers, body }) => {
      const text = encodeQuery(query)
      const [answer] = await server.attack({
        pieces: [signed({ method, url: `${path}${text && `?${text}`}`, headers, body })],
        methods: [method],
      })
      if (answer === undefined) throw new Error('the server closed the connection without an answer')
      expectWellFormed(answer, method)
      if ((await server.storage.objects.find('photos', 'seed'))?.size !== seed.length) {
        await server.storage.objects.copy({
          source: { bucket: 'photos', key: 'seed', versionId: (await server.storage.versionsOf('photos', 'seed'))[0]?.versionId ?? '' },
          target: { bucket: 'photos', key: 'seed' },
        })
      }
    })
    await assertRuns(property, 250)
  },
  testMsMax,
)

test(
  'pipelined requests in any pieces get their answers in order',
  async () => {
    const kinds = {
      put: ['PUT', '/photos/piped', 200],
      get: ['GET', '/photos/seed', 200],
      head: ['HEAD', '/photos/seed', 200],
      absent: ['GET', '/photos/absent', 404],
      remove: ['DELETE', '/photos/piped', 204],
    } as const
    const names = array(constantFrom('put', 'get', 'head', 'absent', 'remove'), { minLength: 1, maxLength: 7 })
    const property = asyncProperty(names, cuts, constantFrom('half-close', 'half-close', 'reset'), async (names, cuts, ending) => {
      const requests = names.map((name) => kinds[name])
      const bytes = Buffer.concat(requests.map(([method, url]) => signed({ method, url, body: method === 'PUT' ? 'piped' : '' })))
      const answers = await server.attack({ pieces: inPieces(bytes, cuts), ending, methods: requests.map(([method]) => method) })
      if (ending === 'reset') return
      expect(answers.map(({ status }) => status)).toEqual(requests.map(([, , status]) => status))
      for (const [index, answer] of answers.entries()) expectWellFormed(answer, requests[index]?.[0])
    })
    await assertRuns(property, 40)
  },
  testMsMax,
)

test(
  'damaged and cut requests are answered, or closed',
  async () => {
    const property = asyncProperty(damage, cuts, constantFrom('half-close', 'half-close', 'reset'), async (damage, cuts, ending) => {
      const request = damaged(signed({ method: 'PUT', url: '/photos/damaged', body: 'x'.repeat(300) }), damage)
      const answers = await server.attack({ pieces: inPieces(request, cuts), ending })
      if (ending === 'half-close') for (const answer of answers) expectWellFormed(answer)
    })
    await assertRuns(property, 80)
  },
  testMsMax,
)
