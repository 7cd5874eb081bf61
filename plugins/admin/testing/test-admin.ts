import type { Endpoint } from '#kernel'
import { type TestKernel, type TestKernelOptions, testKernel } from '#kernel/testing'
import { adminPlugin } from '../plugin.ts'
import { createMemoryStorage, type MemoryStorage } from './memory-storage.ts'

export interface TestAdmin extends TestKernel {
  readonly storage: MemoryStorage
}

/** The admin plugin in a real kernel, over a storage in memory. */
export async function testAdmin({ plugins = [], ...options }: Partial<TestKernelOptions> = {}): Promise<TestAdmin> {
  const storage = createMemoryStorage()
  const kernel = await testKernel({ plugins: [storage.plugin, adminPlugin, ...plugins], ...options })
  return { ...kernel, storage }
}

/** The answer, checked against what the endpoint says it answers: nothing missing, nothing that is not documented. */
export function promised<E extends Endpoint>(endpoint: E, answer: { readonly status: number; readonly body: unknown }) {
  if (answer.status !== (endpoint.status ?? 200)) throw new Error(`status ${answer.status}: ${JSON.stringify(answer.body)}`)
  return endpoint.answer?.onDeepUndeclaredKey('reject').assert(answer.body) as NonNullable<E['answer']>['infer']
}
