import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a worker thread. It loads its modules from the compile cache of the main thread, once they are in it: with the TypeScript loader a
 * thread takes 10 MiB more. Flags of the main thread may not work in a worker.
 */
export const startThread = (file: URL, options: Omit<WorkerOptions, 'eval' | 'execArgv'>): Worker =>
  new Worker(`${enableCache()}; import(${JSON.stringify(file.href)})`, { ...options, eval: true, execArgv: [] })

function enableCache(): string {
  const ofVersion = getCompileCacheDir()
  // Without a folder, Node uses one that other users may own.
  return ofVersion === undefined ? '' : `require('node:module').enableCompileCache(${JSON.stringify(dirname(ofVersion))})`
}
