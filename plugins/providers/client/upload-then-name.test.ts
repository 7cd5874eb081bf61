import { hash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openProviderClient, type ProviderClient } from './provider-client.ts'
import { bytesBody } from './upload-body.ts'

const pieceCid = 'bafkzcibcaabai77f2cdlgqz7ttx5zz4xzjhfgqg4ohqx7v6ybo7xgmn7gdcbqhi'
const session = '2c4f6a1e-0b7d-4d5e-9c3a-1f2e3d4c5b6a'

async function provider(listener: RequestListener): Promise<ProviderClient> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = openProviderClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base`, { allowPrivateNetworks: true })
  onTestFinished(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  return client
}

const bytes = randomBytes(3_000_000)
const body = bytesBody(bytes)
const ended = { kind: 'ok', value: { alreadyStored: false } }

/** Opens a session, takes the bytes and the name, and records what it gets. */
function namedReceiver(calls: string[], answers: { readonly put?: number; readonly name?: number } = {}): RequestListener {
  return async (request, response) => {
    const received: Buffer[] = []
    for await (const chunk of request) received.push(chunk as Buffer)
    calls.push(`${request.method} ${request.url?.replace(session, 'ID')} ${hash('sha256', Buffer.concat(received))}`)
    if (request.url === '/base/pdp/piece/uploads') return response.writeHead(201, { location: `/pdp/piece/uploads/${session}` }).end()
    response.writeHead((request.method === 'PUT' ? answers.put : answers.name) ?? 200).end('no')
  }
}
const opened = `POST /base/pdp/piece/uploads ${hash('sha256', '')}`
const sent = `PUT /base/pdp/piece/uploads/ID ${hash('sha256', bytes)}`
const namedCall = `POST /base/pdp/piece/uploads/ID ${hash('sha256', JSON.stringify({ pieceCid }))}`

test('a piece is sent first; its name is asked for when the provider has the bytes', async () => {
  const calls: string[] = []
  const client = await provider(namedReceiver(calls))
  const nameOf = async () => {
    calls.push('name')
    return pieceCid
  }
  expect(await client.uploadThenName({ body, nameOf })).toEqual(ended)
  expect(calls).toEqual([opened, sent, 'name', namedCall])
})

test.each([
  ['the bytes', { put: 413 }, { kind: 'not_sent', cause: { reason: 'invalid', status: 413 } }, [opened, sent]],
  ['the name', { name: 400 }, { kind: 'not_sent', cause: { reason: 'invalid', status: 400 } }, [opened, sent, namedCall]],
  ['a name that it knows no longer', { name: 404 }, { kind: 'not_sent', cause: { reason: 'not_found' } }, [opened, sent, namedCall]],
  ['with an error', { name: 500 }, { kind: 'uncertain', cause: { reason: 'server_error' } }, [opened, sent, namedCall]],
])('a refusal of %s is reported', async (_what, answers, answer, expected) => {
  const calls: string[] = []
  const client = await provider(namedReceiver(calls, answers))
  expect(await client.uploadThenName({ body, nameOf: async () => pieceCid })).toMatchObject(answer)
  expect(calls).toEqual(expected)
})

test('a piece has no name when the provider answers before it has all bytes', async () => {
  const client = await provider((request, response) => {
    if (request.method === 'POST') return response.writeHead(201, { location: `/pdp/piece/uploads/${session}` }).end()
    response.writeHead(204).end()
  })
  expect(await client.uploadThenName({ body, nameOf: async () => undefined })).toMatchObject({
    kind: 'uncertain',
    cause: { reason: 'unreadable_answer' },
  })
})

test.each([404, 405, 501])('a provider without such sessions (%i) does not support it', async (status) => {
  const client = await provider((request, response) =>
    request.resume().on('end', () => response.writeHead(status).end('404 page not found')),
  )
  const answer = await client.uploadThenName({ body, nameOf: async () => pieceCid })
  expect(answer).toMatchObject({ kind: 'not_sent', cause: { reason: 'unsupported' } })
})

test('a name is sent once: a connection that breaks after it leaves the outcome uncertain', async () => {
  const calls: string[] = []
  const client = await provider((request, response) => {
    calls.push(`${request.method} ${request.url?.replace(session, 'ID')}`)
    request.resume().on('end', () => {
      if (request.method === 'POST' && request.url?.endsWith(session)) request.socket.destroy()
      else response.writeHead(201, { location: `/pdp/piece/uploads/${session}` }).end()
    })
  })
  expect(await client.uploadThenName({ body, nameOf: async () => pieceCid })).toMatchObject({
    kind: 'uncertain',
    cause: { reason: 'connection_lost' },
  })
  expect(calls).toEqual(['POST /base/pdp/piece/uploads', 'PUT /base/pdp/piece/uploads/ID', 'POST /base/pdp/piece/uploads/ID'])
})
