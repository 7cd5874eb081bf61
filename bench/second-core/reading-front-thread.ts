// Thread of the variant 'two loops': the S3 listener with reads on connections of its own. PUTs go to the main thread.
import { once } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { portChannel } from './channels.ts'
import { type Committed, puttingThrough } from './commit-job.ts'
import { openCore } from './core.ts'
import { buildFront } from './front.ts'
import { watchDelay } from './loop-delays.ts'
import { openCaller, serveCalls } from './mailbox.ts'

const { dir, port, calls, control } = workerData
const ask = openCaller(portChannel(calls))
const storage = await openCore(dir)
const put = puttingThrough(
  (name) => storage.buckets.require(name),
  (job) => ask('commit', { ...job, bytes: new Uint8Array(job.bytes) }) as Promise<Committed>,
)
const app = buildFront({ buckets: storage.buckets, objects: Object.create(storage.objects, { put: { value: put } }) })
app.listen({ host: '127.0.0.1', port, reusePort: true })
await once(app, 'listening')
const takeDelay = watchDelay()
serveCalls(portChannel(control), { delay: async () => takeDelay() }, String)
parentPort?.postMessage('ready')
