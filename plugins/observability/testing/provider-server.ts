import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a test's provider answers. `dark`: it refuses connections. */
export type ProviderMode =
  | 'ok'
  | 'dark'
  | 'hangs'
  | 'answers early'
  | 'redirects'
  | 'floods'
  | 'refuses'
  | 'hangs in uploads'
  | 'has no sessions'

export interface ProviderServer extends AsyncDisposable {
  readonly url: string
  mode: ProviderMode
  /** Method and path of each request, without pings. */
  readonly requests: string[]
  uploadedBytes: number
  /** Resolves when the first bytes of the next upload arrive. */
  uploading(): Promise<void>
}

const floodBytes = 100 * 1024 * 1024

/** A provider that answers pings and upload sessions over real HTTP. */
export async function startProvider(): Promise<ProviderServer> {
  let waiting = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    request.on('error', () => undefined)
    response.on('error', () => undefined)
    if (provider.mode === 'dark') return request.socket.destroy()
    if (provider.mode === 'hangs') return undefined
    if (request.url?.endsWith('/pdp/ping')) return response.writeHead(200).end()
    provider.requests.push(`${request.method} ${request.url?.replace(/[0-9a-f-]{36}/, '<id>')}`)
    return request.method === 'PUT' ? takeUpload(request, response) : openSession(response)
  })

  function openSession(response: ServerResponse): unknown {
    switch (provider.mode) {
      case 'has no sessions':
        return response.writeHead(404).end()
      case 'redirects':
        return response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end()
      case 'floods':
        response.writeHead(201, { location: `/pdp/piece/uploads/${randomUUID()}` })
        for (let sent = 0; sent < floodBytes; sent += 1024 * 1024) response.write(Buffer.alloc(1024 * 1024))
        return response.end()
      default:
        return response.writeHead(201, { location: `/pdp/piece/uploads/${randomUUID()}` }).end()
    }
  }

  async function takeUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (provider.mode === 'answers early') return void request.once('data', () => response.writeHead(204).end())
    for await (const block of request) {
      provider.uploadedBytes += (block as Buffer).length
      waiting.resolve()
      if (provider.mode === 'hangs in uploads') return
    }
    if (provider.mode === 'refuses') response.writeHead(507).end('the disk is full')
    else response.writeHead(204).end()
  }

  const provider: ProviderServer = {
    url: '',
    mode: 'ok',
    requests: [],
    uploadedBytes: 0,
    uploading: () => {
      waiting = Promise.withResolvers()
      return waiting.promise
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.assign(provider, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
