// Thread of the variant 'front thread': the S3 listener. Storage is on the main thread.

import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import type { Bucket, Buckets, Objects, ObjectVersion } from '#plugins/storage'
import { portChannel } from './channels.ts'
import { type Committed, puttingThrough } from './commit-job.ts'
import { buildFront } from './front.ts'
import { watchDelay } from './loop-delays.ts'
import { openCaller, serveCalls } from './mailbox.ts'

const { buckets: list, calls, control } = workerData
const ask = openCaller(portChannel(calls))
const buckets = new Map((list as readonly Bucket[]).map((bucket) => [bucket.name, bucket]))
const find = (name: string) => buckets.get(name) as Bucket
const nameOf = (bucket: Bucket | string) => (typeof bucket === 'string' ? bucket : bucket.name)

const objects = {
  sizeBytesMin: 127,
  sizeBytesMax: 1_065_353_216,
  put: puttingThrough(find, (job) => ask('commit', { ...job, bytes: new Uint8Array(job.bytes) }) as Promise<Committed>),
  find: (bucket: Bucket, key: string) => ask('find', { bucket: nameOf(bucket), key }) as Promise<ObjectVersion>,
  async open(bucket: Bucket, key: string) {
    const { version, bytes } = await ask('open', { bucket: nameOf(bucket), key })
    return { version, bytes, source: 'cache', read: async function* () {}, async [Symbol.asyncDispose]() {} }
  },
} as unknown as Objects

const app = buildFront({ buckets: { find } as Buckets, objects })
app.listen({ host: '127.0.0.1', port: 0 })
await once(app, 'listening')
const takeDelay = watchDelay()
serveCalls(portChannel(control), { delay: async () => takeDelay() }, String)
parentPort?.postMessage((app.address() as AddressInfo).port)
