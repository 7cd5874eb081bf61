// Starts a service with long lists in a process of its own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { testAuthorization } from '#kernel/testing'
import { readNodeFlags } from './bench-server.ts'
import type { ListCommand, ListServiceStarted } from './list-service.ts'

const answerMsMax = 300_000

export interface ListServer extends AsyncDisposable, ListServiceStarted {
  readonly label: string
  tell(command: ListCommand): Promise<number | undefined>
  /** Resolves with the answer's bytes after the last one. Does not parse, which would measure the client. */
  read(path: string): Promise<number>
}

interface ListServerOptions {
  readonly label: string
  readonly checkout: string
  readonly rows: number
  readonly buckets: number
  readonly users: number
}

export async function startListServer({ label, checkout, rows, buckets, users }: ListServerOptions): Promise<ListServer> {
  const child = fork(fileURLToPath(new URL('list-service.ts', import.meta.url)), [checkout, ...[rows, buckets, users].map(String)], {
    execArgv: readNodeFlags(`${checkout}/cli/svc.js`),
    // The pool as large as that of the gateway.
    env: { ...process.env, NODE_OPTIONS: '', UV_THREADPOOL_SIZE: '64' },
  })
  const agent = new Agent({ keepAlive: true })
  const started = (await nextMessage(child)) as ListServiceStarted
  return {
    label,
    ...started,
    async tell(command) {
      const message = nextMessage(child)
      child.send(command)
      return ((await message) as { readonly answer?: number }).answer
    },
    read: (path) => readAnswer(started.url + path, agent),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(answerMsMax)])
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`the process of the service ended with ${code}`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal }), ended])
    return message
  } finally {
    stop.abort()
    ended.catch(() => {})
  }
}

function readAnswer(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, headers: { authorization: testAuthorization } }, (response) => {
      let bytes = 0
      if (response.statusCode !== 200) reject(new Error(`GET ${url} failed with status ${response.statusCode}`))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.once('error', reject)
      response.once('end', () => resolve(bytes))
    })
    sent.once('error', reject)
    sent.end()
  })
}
