import { createHash } from 'node:crypto'
import { array, asyncProperty, constantFrom, integer, nat, oneof, record, uint8Array } from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { assertRuns } from '../testing/fuzz-runs.ts'
import { expectWellFormed, startFuzzServer } from '../testing/fuzz-server.ts'
import { signedRequest } from '../testing/signed-request.ts'
import { owner } from '../testing/test-server.ts'
import { encodeForm, exactPolicy, formBoundary, signForm } from '../testing/upload-form.ts'

const testMsMax = process.env.SVC_FUZZ_FACTOR === undefined ? 240_000 : 0
const bucket = 'photos'
const key = 'form'

let server: Awaited<ReturnType<typeof startFuzzServer>>

beforeAll(async () => {
  server = await startFuzzServer(Buffer.alloc(1000, 'seed '), { settings: { body_idle_timeout: 2000 } })
})

afterEach(() => server.expectRest())

afterAll(() => server[Symbol.asyncDispose]())

type Fields = ReturnType<typeof signForm>
type Policy = ReturnType<typeof exactPolicy>

interface Flaw {
  /** Status and code; undefined: the form is stored. */
  readonly refusal?: readonly [status: number, code: string]
  readonly policy?: (policy: Policy) => Readonly<Record<string, unknown>>
  readonly fields?: (fields: Fields) => Fields
  /** Where the file is among the fields. Default: behind them. */
  readonly file?: 'none' | 'first'
  /** Changes the encoded form; its length is sent as it then is. */
  readonly body?: (body: Buffer) => Buffer
}

const withCondition = (condition: unknown) => (policy: Policy) => ({ ...policy, conditions: [...policy.conditions, condition] })
const invalidPolicy = [400, 'InvalidPolicyDocument'] as const
const tooLong = [400, 'MaxPostPreDataLengthExceededError'] as const

const flaws: Readonly<Record<string, Flaw>> = {
  none: {},
  'another field': { fields: (fields) => [['x-ignore-this', 'value'], ...fields] },
  'a field twice': { refusal: [400, 'InvalidArgument'], fields: (fields) => [...fields, ['KEY', key]] },
  'a signature twice': { refusal: [400, 'InvalidArgument'], fields: (fields) => [...fields, ...fields.slice(-1)] },
  'a huge field': { refusal: tooLong, fields: (fields) => [['x-ignore-this', 'v'.repeat(70_000)], ...fields] },
  'many fields': {
    refusal: tooLong,
    fields: (fields) => [...fields, ...Array.from({ length: 200 }, (_, at) => [`x-ignore-${at}`, ''] as const)],
  },
  'a long name': { refusal: tooLong, fields: (fields) => [[`x-ignore-${'n'.repeat(300)}`, ''], ...fields] },
  'no file': { refusal: [400, 'InvalidArgument'], file: 'none' },
  // Then the form has no key, no policy and no signature: it is anonymous.
  'the file first': { refusal: [403, 'AccessDenied'], file: 'first' },
  'an unknown operator': { refusal: invalidPolicy, policy: withCondition(['ends-with', '$key', 'm']) },
  'an unknown member': { refusal: invalidPolicy, policy: (policy) => ({ ...policy, statement: [] }) },
  'a nested condition': { refusal: invalidPolicy, policy: withCondition({ key: [[key]] }) },
  'a condition on a field that is missing': { refusal: [403, 'AccessDenied'], policy: withCondition(['eq', '$unknown', 'x']) },
  'a condition that does not hold': { refusal: [403, 'AccessDenied'], policy: withCondition(['starts-with', '$key', 'other/']) },
  'a field without a condition': { refusal: [403, 'AccessDenied'], fields: (fields) => [...fields, ['x-amz-meta-a', 'b']] },
}

/** A signed form to the bucket, as it goes over the network. */
function formRequest(
  bytes: Buffer,
  { policy = (exact) => exact, fields = (same) => same, file, body = (whole) => whole }: Flaw = {},
): Buffer {
  const own = { key, success_action_status: '201' }
  const anyOfSigning = ['x-amz-algorithm', 'x-amz-credential', 'x-amz-date'].map((name) => ['starts-with', `$${name}`, ''])
  const signed = signForm({ user: owner, bucket, fields: own, policy: policy(exactPolicy(own, bucket, Date.now(), anyOfSigning)) })
  const sent = fields(signed)
  const form = file === 'first' ? encodeForm([], { bytes }, sent) : encodeForm(sent, file === 'none' ? undefined : { bytes })
  const wire = body(form.body)
  const headers = { host: `127.0.0.1:${server.port}`, ...form.headers, 'content-length': String(wire.length) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`POST /${bucket} HTTP/1.1\r\n${lines.join('')}\r\n`), wire])
}

function otherRequest(method: string, url: string): Buffer {
  const { head, body } = signedRequest(server.port, { method, url, user: owner })
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}

/** Bytes around the delimiters of forms, and of other forms. */
const fileBytes = array(
  constantFrom('\r', '\n', '\r\n', '-', '--', `\r\n--${formBoundary.slice(0, 3)}`, `\r\n--${formBoundary.slice(0, -1)}`, 'x', '\0').map(
    (text) => Buffer.from(text),
  ),
  { maxLength: 20 },
).chain((some) => uint8Array({ maxLength: 300 }).map((random) => Buffer.concat([...some, random])))

/** The nth delimiter of the form, and a distance from its start. */
const cut = record({ delimiter: nat(12), distance: integer({ min: -4, max: formBoundary.length + 8 }) })
const cuts = array(cut, { maxLength: 4 })

/** Cuts into pieces that end in and around the delimiters. */
function inPieces(request: Buffer, cuts: readonly { readonly delimiter: number; readonly distance: number }[]): Buffer[] {
  const delimiters: number[] = []
  for (let at = request.indexOf(`--${formBoundary}`); at >= 0; at = request.indexOf(`--${formBoundary}`, at + 1)) delimiters.push(at)
  const ends = cuts.map(({ delimiter, distance }) => {
    const end = (delimiters[delimiter % Math.max(1, delimiters.length)] ?? 0) + distance
    return Math.min(Math.max(end, 0), request.length)
  })
  const sorted = [...ends, request.length].sort((left, right) => left - right)
  return sorted.map((end, index) => request.subarray(sorted[index - 1] ?? 0, end))
}

/** Sends the body in HTTP chunks that end at the cuts: the server reads each of them for itself. */
function inChunks(request: Buffer, cuts: Parameters<typeof inPieces>[1]): Buffer[] {
  const bodyStart = request.indexOf('\r\n\r\n') + 4
  const head = request.toString('latin1', 0, bodyStart).replace(/content-length: \d+/, 'transfer-encoding: chunked')
  const chunks = inPieces(request.subarray(bodyStart), cuts).filter(({ length }) => length > 0)
  const framed = chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')])
  return [Buffer.concat([Buffer.from(head, 'latin1'), ...framed, Buffer.from('0\r\n\r\n')])]
}

/** MD5 and text of the versions of the key, which are then deleted. */
async function takeStored(): Promise<string[][]> {
  const stored: string[][] = []
  for (const { versionId, etag } of await server.storage.versionsOf(bucket, key)) {
    stored.push([etag, await server.storage.text(key, versionId)])
    await server.storage.versions.delete({ bucket, key, versionId })
  }
  return stored
}

const expectedOf = (bytes: Buffer, { refusal }: Flaw): string[][] =>
  refusal === undefined ? [[createHash('md5').update(bytes).digest('hex'), bytes.toString()]] : []

test(
  'forms store exactly their file, or nothing, however the network cuts them',
  async () => {
    const forms = record({
      name: constantFrom('none', 'none', ...Object.keys(flaws)),
      bytes: fileBytes,
      cuts,
      framing: constantFrom(inPieces, inChunks),
    })
    const property = asyncProperty(forms, async ({ name, bytes, cuts, framing }) => {
      const flaw = flaws[name] ?? {}
      const [answer] = await server.attack({ pieces: framing(formRequest(bytes, flaw), cuts) })
      if (answer === undefined) throw new Error('the server closed the connection without an answer')
      expectWellFormed(answer)
      const { refusal: [status, code] = [201, ''] } = flaw
      expect({ status: answer.status, code: answer.code }).toEqual({ status, code })
      expect(await takeStored()).toEqual(expectedOf(bytes, flaw))
    })
    await assertRuns(property, 150)
  },
  testMsMax,
)

const cutBy = (bytes: Buffer, missing: number): Buffer => bytes.subarray(0, bytes.length - 1 - (missing % (bytes.length - 1)))

test(
  'requests that end inside a form, by a closed side or a reset, store nothing',
  async () => {
    const ends = record({ bytes: fileBytes, missing: nat(2000), cuts, ending: constantFrom('half-close', 'half-close', 'reset') })
    const property = asyncProperty(ends, async ({ bytes, missing, cuts, ending }) => {
      const answers = await server.attack({ pieces: inPieces(cutBy(formRequest(bytes), missing), cuts), ending })
      if (ending === 'half-close') for (const answer of answers) expectWellFormed(answer)
      expect(answers.filter(({ status }) => status < 300)).toEqual([])
      expect(await takeStored()).toEqual([])
    })
    await assertRuns(property, 60)
  },
  testMsMax,
)

test(
  'whole requests with a form that ends early are refused',
  async () => {
    // The line break after the last delimiter may be missing.
    const ends = record({ bytes: fileBytes, missing: oneof(integer({ min: 2, max: 40 }), integer({ min: 2, max: 2000 })), cuts })
    const property = asyncProperty(ends, async ({ bytes, missing, cuts }) => {
      const request = formRequest(bytes, { body: (whole) => cutBy(whole, missing) })
      const [answer] = await server.attack({ pieces: inPieces(request, cuts) })
      if (answer === undefined) throw new Error('the server closed the connection without an answer')
      expectWellFormed(answer)
      expect({ status: answer.status, code: answer.code }).toEqual({ status: 400, code: 'MalformedPOSTRequest' })
      expect(await takeStored()).toEqual([])
    })
    await assertRuns(property, 60)
  },
  testMsMax,
)

test(
  'requests behind a form are answered after it, also behind a refused one',
  async () => {
    const others = {
      get: ['GET', `/${bucket}/seed`, 200],
      absent: ['GET', `/${bucket}/absent`, 404],
      list: ['GET', `/${bucket}?list-type=2`, 200],
    } as const
    const behind = array(constantFrom('get', 'absent', 'list'), { minLength: 1, maxLength: 4 })
    const runs = record({ name: constantFrom('none', ...Object.keys(flaws)), behind, bytes: fileBytes, cuts })
    const property = asyncProperty(runs, async ({ name, behind, bytes, cuts }) => {
      const flaw = flaws[name] ?? {}
      const requests = [formRequest(bytes, flaw), ...behind.map((other) => otherRequest(others[other][0], others[other][1]))]
      const [first, ...rest] = await server.attack({ pieces: inPieces(Buffer.concat(requests), cuts) })
      if (first === undefined) throw new Error('the server closed the connection without an answer')
      for (const answer of [first, ...rest]) expectWellFormed(answer)
      expect(first.status).toBe(flaw.refusal?.[0] ?? 201)
      // A refusal may close the connection, because the rest of the form would have to be read.
      const isClosed = first.headers.get('connection') === 'close'
      if (isClosed) expect(flaw.refusal).toBeDefined()
      expect(rest.map(({ status }) => status)).toEqual(isClosed ? [] : behind.map((other) => others[other][2]))
      expect(await takeStored()).toEqual(expectedOf(bytes, flaw))
    })
    await assertRuns(property, 60)
  },
  testMsMax,
)
