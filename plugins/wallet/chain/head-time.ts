import { toChainError } from './chain-error.ts'
import type { Chain } from './clients.ts'

/** Time of the newest block in milliseconds since 1970. */
export async function readHeadTime({ publicClient }: Chain): Promise<number> {
  try {
    return Number((await publicClient.getBlock()).timestamp) * 1000
  } catch (cause) {
    throw toChainError(cause, 'read the newest block')
  }
}
