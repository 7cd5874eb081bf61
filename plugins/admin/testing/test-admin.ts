import { type TestKernel, type TestKernelOptions, testKernel } from '#kernel/testing'
import { adminPlugin } from '../plugin.ts'
import { createMemoryStorage, type MemoryStorage } from './memory-storage.ts'

export interface TestAdmin extends TestKernel {
  readonly storage: MemoryStorage
}

/** The admin plugin in a real kernel with in-memory storage. */
export async function testAdmin({ plugins = [], ...options }: Partial<TestKernelOptions> = {}): Promise<TestAdmin> {
  const storage = createMemoryStorage()
  const kernel = await testKernel({ plugins: [...storage.plugins, adminPlugin, ...plugins], ...options })
  return { ...kernel, storage }
}
