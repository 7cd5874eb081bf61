import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { Worker, type WorkerOptions } from 'node:worker_threads'

interface ThreadOptions extends Omit<WorkerOptions, 'eval' | 'execArgv'> {
  /** Heap limits in megabytes: a thread above them ends with the error ERR_WORKER_OUT_OF_MEMORY, and the process continues. */
  readonly resourceLimits: { readonly maxYoungGenerationSizeMb: number; readonly maxOldGenerationSizeMb: number }
}

/** Flags of the process override the limits of its threads. The heap of the main thread has its size since its start, so it keeps it. */
const heapFlags = ['--max-old-space-size=0', '--max-semi-space-size=0']

/**
 * Starts a worker thread. It loads its modules from the compile cache of the main thread, once they are in it: with the TypeScript loader a
 * thread takes 10 MiB more. Flags of the main thread may not work in a worker.
 */
export function startThread(file: URL, options: ThreadOptions): Worker {
  for (const flag of heapFlags) setFlagsFromString(flag)
  return new Worker(`${enableCache()}; import(${JSON.stringify(file.href)})`, { ...options, eval: true, execArgv: [] })
}

function enableCache(): string {
  const ofVersion = getCompileCacheDir()
  // Node would use a folder that other users may own.
  return ofVersion === undefined ? '' : `require('node:module').enableCompileCache(${JSON.stringify(dirname(ofVersion))})`
}
