// Measures puts and gets of objects over HTTP, beside a handler that writes each body to a file and fsyncs it.
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type BenchRow, type BenchTable, median, renderBenchTable } from './bench-table.ts'

const CONNECTIONS = 32
const RUNS = 3
const KIB = 1024
const LOADS: readonly Load[] = [
  { label: '4 KiB', bytes: 4 * KIB, requests: 6000 },
  { label: '64 KiB', bytes: 64 * KIB, requests: 3000 },
  { label: '1 MiB', bytes: 1024 * KIB, requests: 400 },
]

interface Load {
  readonly label: string
  readonly bytes: number
  readonly requests: number
}

interface Server extends AsyncDisposable {
  readonly port: number
}

interface Rates {
  readonly put: number
  readonly get: number
}

/**
 * About a minute, and 3 GiB of temporary disk space. Both servers take turns, so that what else the machine does hits both. Wait a
 * minute before the next run: ext4 makes new files slowly while the numbers of just deleted ones cool down.
 */
export async function benchPutGet(): Promise<BenchTable> {
  await using plain = await startServer('plain')
  await using storage = await startServer('storage')
  const rows: BenchRow[] = []
  for (const load of LOADS) {
    const runs: { readonly plain: Rates; readonly storage: Rates }[] = []
    for (let run = 0; run < RUNS; run++) runs.push({ plain: await measure(plain, load, run), storage: await measure(storage, load, run) })
    for (const kind of ['put', 'get'] as const) {
      const [base, ours] = [median(runs.map((run) => run.plain[kind])), median(runs.map((run) => run.storage[kind]))]
      rows.push({ label: `${kind} ${load.label}, plain file`, value: base, unit: '/s' })
      rows.push({ label: `${kind} ${load.label}, storage`, value: ours, unit: '/s', note: `${(ours / base).toFixed(2)} × plain` })
    }
  }
  return { name: `put and get, ${CONNECTIONS} connections, ${RUNS} runs each, median`, rows }
}

async function startServer(kind: 'plain' | 'storage'): Promise<Server> {
  const child = fork(fileURLToPath(new URL('put-get-server.ts', import.meta.url)), [kind], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '32' },
  })
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }]
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

async function measure({ port }: Server, { bytes, requests }: Load, run: number): Promise<Rates> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const body = randomBytes(bytes)
  const send = (method: string, n: number): Promise<number> => {
    // Every object is of its own kind, as a content that is known already costs less.
    body.writeUInt32LE(n)
    body.writeUInt32LE(run, 4)
    return exchange({ agent, port, path: `/${bytes}-${run}-${n}`, method }, method === 'PUT' ? Buffer.from(body) : undefined)
  }
  try {
    const put = await rate(requests, (n) => send('PUT', n))
    const get = await rate(requests, async (n) => {
      const received = await send('GET', n)
      if (received !== bytes) throw new Error(`${received} bytes came back instead of ${bytes}`)
    })
    return { put, get }
  } finally {
    agent.destroy()
  }
}

async function rate(requests: number, work: (n: number) => Promise<unknown>): Promise<number> {
  let next = 0
  const startMs = performance.now()
  const connection = async () => {
    while (next < requests) await work(next++)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  return (requests * 1000) / (performance.now() - startMs)
}

function exchange(options: { agent: Agent; port: number; path: string; method: string }, body: Buffer | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = body ? { 'content-length': body.length, 'content-type': 'binary/octet-stream' } : {}
    const sent = request({ host: '127.0.0.1', ...options, headers }, (response) => {
      let received = 0
      response.on('data', (chunk: Buffer) => {
        received += chunk.length
      })
      response.on('end', () => (response.statusCode === 200 ? resolve(received) : reject(new Error(`status ${response.statusCode}`))))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

if (import.meta.main) {
  process.stdout.write(renderBenchTable(await benchPutGet()))
  process.stdout.write(`  ${availableParallelism()} processors; the client shares them with the server\n`)
}
