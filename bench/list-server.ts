// Starts a service with long lists in a process of its own, and uploads to it.
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { testAuthorization } from '#kernel/testing'
import { objectsOf } from '../e2e/load/filled-service.ts'
import { historyKey, keyAt } from '../e2e/load/stored-rows.ts'
import { readNodeFlags } from './bench-server.ts'
import type { ListCommand, ListServiceStarted } from './list-service.ts'

const answerMsMax = 300_000
/** Time from the start of one turn of uploads to the start of the next: services of different speeds get the same writes. */
const writeTurnMs = 15
const writePauseMsMin = 1
const uploadBytes = 200

export interface ListServer extends AsyncDisposable, ListServiceStarted {
  readonly label: string
  tell(command: ListCommand): Promise<number | undefined>
  /** Uploads and deletes until it is disposed. */
  write(): AsyncDisposable
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
  let turn = 0
  return {
    label,
    ...started,
    write() {
      let isWriting = true
      const writing = (async () => {
        while (isWriting) await writeOnce({ url: started.url, agent, rows, turn: turn++ })
      })()
      return {
        async [Symbol.asyncDispose]() {
          isWriting = false
          await writing
        },
      }
    },
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

interface Writes {
  readonly url: string
  readonly agent: Agent
  readonly rows: number
  readonly turn: number
}

async function writeOnce({ url, agent, rows, turn }: Writes): Promise<void> {
  const startMs = performance.now()
  const key = `${keyAt((turn * 7919) % rows)}.new`
  const ofKey = (bucket: string, path: string, name: string) => `${url}${objectsOf(bucket)}${path}?key=${encodeURIComponent(name)}`
  const upload = (bucket: string, name: string) =>
    readAnswer(ofKey(bucket, '/upload', name), agent, { method: 'POST', body: randomBytes(uploadBytes) })
  await upload(turn % 2 === 0 ? 'objects' : 'deleted', key)
  if (turn % 2 === 1) await readAnswer(ofKey('deleted', '', key), agent, { method: 'DELETE' })
  await upload('history', historyKey)
  await pause(Math.max(writePauseMsMin, writeTurnMs - (performance.now() - startMs)))
}

function readAnswer(
  url: string,
  agent: Agent,
  { method = 'GET', body }: { readonly method?: string; readonly body?: Uint8Array } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { authorization: testAuthorization } }, (response) => {
      let bytes = 0
      if (response.statusCode !== 200) reject(new Error(`${method} ${url} failed with status ${response.statusCode}`))
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.once('error', reject)
      response.once('end', () => resolve(bytes))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}
