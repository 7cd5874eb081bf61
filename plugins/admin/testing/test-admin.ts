import { type TestKernel, type TestKernelOptions, testKernel } from '#kernel/testing'
import { adminPlugin } from '../plugin.ts'
import { type PlacedCopies, placeCopies } from './placed-copies.ts'
import { type WatchedStorage, watchStorage } from './watched-storage.ts'

export interface TestAdmin extends TestKernel {
  readonly storage: Omit<WatchedStorage & PlacedCopies, 'plugin'>
}

/** The admin plugin in a real kernel with real storage, whose copies are where the test says. */
export async function testAdmin({ plugins = [], ...options }: Partial<TestKernelOptions> = {}): Promise<TestAdmin> {
  const { plugin: storagePlugin, ...storage } = watchStorage()
  const { plugin: replicationPlugin, ...copies } = placeCopies()
  const kernel = await testKernel({ plugins: [storagePlugin, replicationPlugin, adminPlugin, ...plugins], ...options })
  return { ...kernel, storage: { ...storage, ...copies } }
}
