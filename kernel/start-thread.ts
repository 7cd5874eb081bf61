import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a worker thread. It loads its modules from the compile cache of Node, once they are in it: with the TypeScript loader a thread takes
 * 10 MiB more. Flags of the main thread may not work in a worker.
 */
export const startThread = (file: URL, options: Omit<WorkerOptions, 'eval' | 'execArgv'>): Worker =>
  new Worker(`require('node:module').enableCompileCache(); import(${JSON.stringify(file.href)})`, { ...options, eval: true, execArgv: [] })
