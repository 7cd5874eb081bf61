// One variant in a process of its own: `variant-server.ts <variant> <dir>`.
import { type ChildProcess, fork } from 'node:child_process'
import cluster from 'node:cluster'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Objects, ObjectVersion } from '#plugins/storage'
import { freePort } from '../../e2e/fixtures/free-port.ts'
import type { ObjectStorage } from '../../plugins/storage/testing/object-storage.ts'
import { portChannel, socketChannel } from './channels.ts'
import { type CommitJob, type Committed, puttingThrough, runJob, toFault } from './commit-job.ts'
import { openCore } from './core.ts'
import { buildFront } from './front.ts'
import { watchDelay } from './loop-delays.ts'
import { openCaller, serveCalls } from './mailbox.ts'
import { turnVariable } from './variants.ts'

interface Started {
  readonly port: number
  /** Of further processes. */
  readonly pids?: readonly number[]
  /** Of further loops. */
  readonly delays?: () => Promise<readonly number[]>
}

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

async function listen(app: ReturnType<typeof buildFront>, options: { port?: number; reusePort?: boolean } = {}): Promise<number> {
  app.listen({ host: '127.0.0.1', port: 0, ...options })
  await once(app, 'listening')
  return (app.address() as AddressInfo).port
}

async function startOne(storage: ObjectStorage): Promise<Started> {
  return { port: await listen(buildFront(storage)) }
}

/** Objects that put in another way. */
const withPut = (objects: Objects, put: Objects['put']): Objects => Object.create(objects, { put: { value: put } })

async function startWriterThread(storage: ObjectStorage): Promise<Started> {
  const worker = new Worker(fileOf('writer-thread.ts'), { name: 'writer', workerData: storage.dir, execArgv: [] })
  await once(worker, 'message')
  const ask = openCaller(portChannel(worker))
  const put = puttingThrough(
    (name) => storage.buckets.require(name),
    async (job) => {
      // I-23: the room is taken on the thread that has the cache.
      using reservation = await storage.cache.reserve(job.bytes.length)
      const committed: Committed = await ask('commit', { ...job, bytes: new Uint8Array(job.bytes) })
      reservation.keep(committed.addedBytes)
      return committed
    },
  )
  const port = await listen(buildFront({ buckets: storage.buckets, objects: withPut(storage.objects, put) }))
  return { port, delays: async () => [await ask('delay', undefined)] }
}

const toData = ({ bucketId, key, versionId, isDeleteMarker, isCurrent, contentId, size, etag, createdAtMs, headers }: ObjectVersion) => {
  const { contentType, system, user, checksums } = headers
  return {
    bucketId,
    key,
    versionId,
    isDeleteMarker,
    isCurrent,
    contentId,
    size,
    etag,
    createdAtMs,
    headers: { contentType, system, user, checksums },
  }
}

async function startFrontThread(storage: ObjectStorage): Promise<Started> {
  const [calls, control] = [new MessageChannel(), new MessageChannel()]
  const worker = new Worker(fileOf('front-thread.ts'), {
    name: 'front',
    workerData: { buckets: storage.buckets.list(), calls: calls.port2, control: control.port2 },
    transferList: [calls.port2, control.port2],
    execArgv: [],
  })
  const { database, cache, objects } = storage
  serveCalls(
    portChannel(calls.port1),
    {
      commit: (job: CommitJob) => runJob({ database, cache }, job),
      async find({ bucket, key }: { bucket: string; key: string }) {
        const version = await objects.find(bucket, key)
        return version && toData(version)
      },
      async open({ bucket, key }: { bucket: string; key: string }) {
        const { version, bytes } = await objects.open(bucket, key)
        return { version: toData(version), bytes }
      },
    },
    toFault,
  )
  const [port] = (await once(worker, 'message')) as [number]
  const ask = openCaller(portChannel(control.port1))
  return { port, delays: async () => [await ask('delay', undefined)] }
}

/** Two event loops take connections and read; the main thread commits. */
async function startTwoLoops(storage: ObjectStorage): Promise<Started> {
  const [calls, control] = [new MessageChannel(), new MessageChannel()]
  const { database, cache, dir } = storage
  const port = await listen(buildFront(storage), { reusePort: true })
  serveCalls(portChannel(calls.port1), { commit: (job: CommitJob) => runJob({ database, cache }, job) }, toFault)
  const worker = new Worker(fileOf('reading-front-thread.ts'), {
    name: 'front',
    workerData: { dir, port, calls: calls.port2, control: control.port2 },
    transferList: [calls.port2, control.port2],
    execArgv: [],
  })
  await once(worker, 'message')
  const ask = openCaller(portChannel(control.port1))
  return { port, delays: async () => [await ask('delay', undefined)] }
}

/** `fronts` processes with reads of their own; `isFront`: the owner takes connections too. */
async function startProcesses(
  storage: ObjectStorage,
  { fronts, isFront }: { readonly fronts: number; readonly isFront: boolean },
): Promise<Started> {
  const { database, cache, dir } = storage
  const socketPath = join(dir, 'owner.sock')
  const owner = createServer((socket) => {
    serveCalls(socketChannel(socket), { commit: (job: CommitJob) => runJob({ database, cache }, job) }, toFault)
  })
  owner.listen(socketPath)
  await once(owner, 'listening')
  const port = isFront ? await listen(buildFront(storage), { reusePort: true }) : await freePort()
  const children: ChildProcess[] = []
  for (let n = 0; n < fronts; n++) {
    const args = [dir, socketPath, String(port)]
    let child: ChildProcess
    if (isFront) child = fork(fileOf('front-process.ts'), args, { execArgv: [] })
    else {
      cluster.setupPrimary({ exec: fileOf('front-process.ts'), args, execArgv: [] })
      child = cluster.fork().process
    }
    await new Promise<void>((resolve, reject) => {
      child
        .on('message', (message) => (message as { isReady?: boolean }).isReady && resolve())
        .once('exit', () => reject(new Error('a front process ended')))
    })
    children.push(child)
  }
  const delayOf = (child: ChildProcess) =>
    new Promise<number>((resolve) => {
      const take = (message: unknown) => {
        const { delay } = message as { delay?: number }
        if (delay === undefined) return
        child.off('message', take)
        resolve(delay)
      }
      child.on('message', take)
      child.send('delay')
    })
  return { port, pids: children.map(({ pid }) => pid as number), delays: () => Promise.all(children.map(delayOf)) }
}

const variants: Readonly<Record<string, (storage: ObjectStorage) => Promise<Started>>> = {
  'one loop': startOne,
  'writer thread': startWriterThread,
  'front thread': startFrontThread,
  'two loops': startTwoLoops,
  'two processes': (storage) => startProcesses(storage, { fronts: 1, isFront: true }),
  'owner and two processes': (storage) => startProcesses(storage, { fronts: 2, isFront: false }),
}

const [name = '', dir = ''] = process.argv.slice(2)
const suffix = ' + turn'
const start = variants[name.replace(suffix, '')]
if (!start) throw new RangeError(`unknown variant: ${name}`)
process.env[turnVariable] = name.endsWith(suffix) ? '1' : '0'
const { port, pids = [], delays = async () => [] } = await start(await openCore(dir))
const takeDelay = watchDelay()
process.on('message', () => {
  delays().then((others) => process.send?.({ delays: [takeDelay(), ...others] }))
})
process.send?.({ port, pids: [process.pid, ...pids] })
process.once('disconnect', () => process.exit())
