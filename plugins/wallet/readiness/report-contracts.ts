import type { Log } from '#kernel'
import { judgeVersions } from '../chain/contract-version-policy.ts'
import type { Chain } from '../contract.ts'

/** Logs an error at the start when the deployed contracts have unsupported versions. Never rejects. */
export async function reportContracts(chain: Pick<Chain, 'contractVersions'>, log: Log): Promise<void> {
  try {
    const verdict = judgeVersions(await chain.contractVersions())
    if (verdict.isSupported) return
    log.error('contracts not supported: nothing is paid until svc is updated', { reason: verdict.reason })
  } catch (error) {
    // Every payment checks the versions again.
    log.warn('contract versions not checked: the chain node gave no answer', { error })
  }
}
