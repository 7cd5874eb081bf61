/** Uses of memory with a budget, for `svc_memory_budget_bytes` and `svc_memory_used_bytes`. */
import { defineExtensionPoint } from '#kernel'
import type { Resolved, Uses } from '#kernel/system'

export interface MemoryUse {
  readonly budgetBytes: number
  /** Absent where it cannot be measured. */
  readonly usedBytes: number | undefined
}

interface MemoryPart<U extends Uses = Uses> {
  /** Value of the label `part`. */
  readonly name: string
  readonly uses: U
  read(services: Resolved<U>): MemoryUse | Promise<MemoryUse>
}

export const memoryParts = defineExtensionPoint<MemoryPart>('storage.memory-parts')

export function defineMemoryPart<const U extends Uses>(part: MemoryPart<U>): MemoryPart {
  return part as unknown as MemoryPart
}
