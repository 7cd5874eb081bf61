// Process of the variants with several: the S3 listener with reads on connections of its own. PUTs go to the owner of the database.
import cluster from 'node:cluster'
import { once } from 'node:events'
import { connect } from 'node:net'
import { socketChannel } from './channels.ts'
import { type Committed, puttingThrough } from './commit-job.ts'
import { openCore } from './core.ts'
import { buildFront } from './front.ts'
import { watchDelay } from './loop-delays.ts'
import { openCaller } from './mailbox.ts'

const [dir = '', socketPath = '', port = '0'] = process.argv.slice(2)
const socket = connect(socketPath)
await once(socket, 'connect')
const ask = openCaller(socketChannel(socket))
const storage = await openCore(dir)
const put = puttingThrough(
  (name) => storage.buckets.require(name),
  (job) => ask('commit', job) as Promise<Committed>,
)
// Descriptors so that accessors are kept.
const objects = Object.create(storage.objects, { put: { value: put } })
const app = buildFront({ buckets: storage.buckets, objects })
app.listen({ host: '127.0.0.1', port: Number(port), ...(!cluster.isWorker && { reusePort: true }) })
await once(app, 'listening')
const takeDelay = watchDelay()
process.on('message', (message) => {
  if (message === 'delay') process.send?.({ delay: takeDelay() })
})
process.send?.({ isReady: true })
process.once('disconnect', () => process.exit())
