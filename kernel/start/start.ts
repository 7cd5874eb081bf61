import type { RunningKernel, StartOptions } from './kernel.ts'
import type { PreparedKernel } from './prepare.ts'

/** Starts the service, or throws and leaves nothing running. Commands that start nothing do not load the kernel. */
export async function startKernel(prepared: PreparedKernel, options: StartOptions = {}): Promise<RunningKernel> {
  const kernel = await import('./kernel.ts')
  return kernel.startKernel(prepared, options)
}
