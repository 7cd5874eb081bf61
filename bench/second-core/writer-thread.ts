// Thread of the variant 'writer thread': commits PUTs on a connection of its own.
import { parentPort, workerData } from 'node:worker_threads'
import { openTestDatabase } from '#kernel/testing'
import { portChannel } from './channels.ts'
import { type CommitJob, runJob, toFault } from './commit-job.ts'
import { schemas } from './core.ts'
import { watchDelay } from './loop-delays.ts'
import { serveCalls } from './mailbox.ts'

const database = await openTestDatabase(schemas, { dir: workerData as string })
const takeDelay = watchDelay()
if (!parentPort) throw new Error('writer-thread.ts must run as a thread')
serveCalls(portChannel(parentPort), { commit: (job: CommitJob) => runJob({ database }, job), delay: async () => takeDelay() }, toFault)
parentPort.postMessage([])
