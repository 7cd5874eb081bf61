import { array, asyncProperty, boolean, constantFrom, dictionary, record, string, stringMatching } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { assertRuns } from '../testing/fuzz-runs.ts'
import { encodePath } from '../testing/model-client.ts'
import { owner, startStoredServer } from '../testing/test-server.ts'

let server: Awaited<ReturnType<typeof startStoredServer>>

beforeAll(async () => {
  server = await startStoredServer()
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
})

afterAll(() => server[Symbol.asyncDispose]())

/** Above ASCII, every byte of UTF-8 ends some character. */
const unit = constantFrom(
  'a',
  'Z',
  '0',
  '/',
  '.',
  '~',
  '+',
  '%',
  ' ',
  '&',
  '=',
  '*',
  "'",
  '(',
  '!',
  ':',
  ',',
  '"',
  'à',
  'Р',
  'é',
  '\u0160',
  '\uffff',
  '😀',
)
const key = string({ unit, minLength: 1, maxLength: 12 })
// The SDK collapses every white space of values, S3 only spaces.
const value = array(stringMatching(/^[!-~àРéŠ€😀]{1,6}$/u), { maxLength: 3 }).map((words) => words.join(' '))
const metadata = dictionary(stringMatching(/^[a-z][a-z0-9-]{0,8}$/), value, { maxKeys: 4 })
const query = dictionary(
  stringMatching(/^[A-Za-z!*'()+ ~é-]{1,6}$/u).filter((name) => !/^x-amz/i.test(name)),
  string({ unit, maxLength: 8 }),
  { maxKeys: 4, noNullPrototype: true },
)

const requests = record({ key, metadata, query, isPresigned: boolean(), encodesAll: boolean(), hasBody: boolean() })

function escapeAll(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
}

const escapeQuery = (text: string) => encodePath(text).replaceAll('/', '%2F')

test('requests that another signer signs are accepted, and refused after any change of their headers', async () => {
  const client = server.client()
  // The signer of the AWS SDK shares no code with the server.
  const { signer: signerOf } = client.config
  const signer = (await signerOf()) as unknown as {
    sign(request: object, options?: object): Promise<{ headers: Record<string, string> }>
    presign(request: object, options?: object): Promise<{ query: Record<string, string> }>
  }
  const property = asyncProperty(requests, async ({ key, metadata, query, isPresigned, encodesAll, hasBody }) => {
    const path = `/photos/${encodePath(key)}`
    const body = hasBody ? 'x'.repeat(20) : ''
    const headers: Record<string, string> = { host: `127.0.0.1:${server.port}`, 'content-length': String(body.length) }
    if (isPresigned) headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD'
    for (const [name, text] of Object.entries(metadata)) headers[`x-amz-meta-${name}`] = text
    const unsigned = { method: 'PUT', protocol: 'http:', hostname: '127.0.0.1', port: server.port, path, headers, query, body }
    const signed = isPresigned
      ? { ...unsigned, query: (await signer.presign(unsigned, { expiresIn: 60, unhoistableHeaders: new Set(Object.keys(headers)) })).query }
      : { ...unsigned, headers: (await signer.sign(unsigned)).headers }
    // The signature does not depend on how the client escapes the path.
    const sentPath = encodesAll ? `/photos/${escapeAll(key)}` : path
    const sentQuery = Object.entries(signed.query).map(([name, text]) => `${escapeQuery(name)}=${escapeQuery(text)}`)
    const lines = (changed: Readonly<Record<string, string>>) =>
      Object.entries({ ...signed.headers, ...changed }).map(([name, text]) => `${name}: ${text}\r\n`)
    const send = (changed: Readonly<Record<string, string>> = {}) =>
      server.sendRaw(Buffer.from(`PUT ${sentPath}?${sentQuery.join('&')} HTTP/1.1\r\n${lines(changed).join('')}\r\n${body}`))
    expect(await send()).toMatchObject({ status: 200, code: '' })
    expect(Object.keys((await server.storage.objects.find('photos', key))?.headers.user ?? {}).sort()).toEqual(Object.keys(metadata).sort())
    const [changed] = Object.keys(metadata)
    if (changed !== undefined) {
      const refused = await send({ [`x-amz-meta-${changed}`]: `${metadata[changed]}!` })
      expect(refused).toMatchObject({ status: 403, code: 'SignatureDoesNotMatch' })
    }
  })
  await assertRuns(property, 150)
  client.destroy()
})
