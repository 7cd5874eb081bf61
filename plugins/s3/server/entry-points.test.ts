import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LogFields, silentLog } from '#kernel/testing'
import { type NamedRow, operationTable } from '../operations/table/operation-table.ts'
import { signedRequest } from '../testing/signed-request.ts'
import { owner, startTestServer } from '../testing/test-server.ts'

/** Requests at the same time, below the share of one client. */
const together = 20
const dripMs = 20

const seen = new Set<unknown>()
let server: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  const note = (_message: string, { operation }: LogFields = {}) => void seen.add(operation)
  const log = { ...silentLog, info: note, child: () => ({ ...silentLog, info: note }) }
  server = await startTestServer({
    settings: { body_idle_timeout: 200 },
    server: { max_requests: 8 * together, max_connections: 20 * together },
    limits: { formFieldsMs: 200, documentMs: 200 },
    log: log as typeof silentLog,
  })
  await server.storage.buckets.create({ name: 'photos', ownerAccessKey: owner.accessKey })
})
afterAll(() => server[Symbol.asyncDispose]())

/** The deletion of the bucket comes last. */
const rowsInOrder = operationTable.toSorted((a, b) => Number(a.name === 'DeleteBucket') - Number(b.name === 'DeleteBucket'))

const places = { service: '/', bucket: '/photos', object: '/photos/key' } as const

/** Query and headers that select the row instead of others of the same method, level and sub-resource. */
function select({ name, level, subResource, variant }: NamedRow) {
  const query = [
    ...(subResource === undefined ? [] : [subResource === 'uploadId' ? 'uploadId=none&partNumber=1' : subResource]),
    ...(name === 'ListObjectsV2' ? ['list-type=2'] : []),
    ...(variant === undefined && /^(Get|Put|Delete)Bucket\w+Configuration$/.test(name) ? ['id=one'] : []),
  ].join('&')
  const headers: Record<string, string> = {}
  if (variant?.when === '`x-amz-copy-source`') headers['x-amz-copy-source'] = '/photos/other'
  if (variant?.when === 'a form') headers['content-type'] = 'multipart/form-data; boundary=b'
  return { url: query === '' ? places[level] : `${places[level]}?${query}`, headers }
}

/** Sends the head, and its body so slowly that it never ends. Resolves with the status of the answer. */
function answerTo(row: NamedRow, isSigned: boolean): Promise<number> {
  const { method } = row
  const { url, headers } = select(row)
  const length = { 'content-length': '100000' }
  const { head } = isSigned
    ? signedRequest(server.port, { method, url, headers, user: owner, payload: 'UNSIGNED-PAYLOAD', unsignedHeaders: length })
    : { head: unsignedHead(method, url, { host: 'x', ...headers, ...length }) }
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const socket = connect(server.port, '127.0.0.1')
  socket.write(head)
  const timer = setInterval(() => socket.write('x'), dripMs)
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const status = /^HTTP\/1.1 ([2-5]\d\d) /.exec(received)?.[1]
    if (status === undefined) return
    resolve(Number(status))
    socket.destroy()
  })
  socket
    .on('error', () => {})
    .once('close', () => {
      clearInterval(timer)
      reject(new Error(`${row.name} was not answered`))
    })
  return promise
}

const unsignedHead = (method: string, url: string, headers: Readonly<Record<string, string>>): string =>
  `${method} ${url} HTTP/1.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`

function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let at = 0; at < items.length; at += together) yield items.slice(at, at + together)
}

test.each([
  ['anonymous', false],
  ['signed', true],
])('I-41: every operation answers a request whose body does not arrive, %s', async (_, isSigned) => {
  seen.clear()
  const statuses = new Map<string, number>()
  const batches = [rowsInOrder.slice(0, -1), rowsInOrder.slice(-1)].flatMap((rows) => [...chunksOf(rows)])
  for (const rows of batches) {
    await Promise.all(rows.map(async (row) => statuses.set(`${row.level} ${row.name}`, await answerTo(row, isSigned))))
  }
  expect([...statuses].filter(([, status]) => status === 503)).toEqual([])
  await expect.poll(() => operationTable.filter(({ name }) => !seen.has(name)).map(({ name }) => name)).toEqual([])
  // Their places are free again.
  expect(await server.send({ method: 'GET', url: '/', user: owner })).toMatchObject({ status: 200 })
})
