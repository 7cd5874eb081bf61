import { Worker } from 'node:worker_threads'

/** A thread that never answers. */
export function unresponsiveWorker(): Worker {
  return new Worker("require('node:worker_threads').parentPort.on('message', () => {})", { eval: true })
}
