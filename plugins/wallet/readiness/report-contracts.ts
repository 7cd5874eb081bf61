import type { Log } from '#kernel'
import { judgeVersions } from '../chain/contract-version-policy.ts'
import type { Chain } from '../contract.ts'

/** Tells the operator at the start when the deployed contracts are not those that this release reads. Never rejects. */
export async function reportContracts(chain: Pick<Chain, 'contractVersions'>, log: Log): Promise<void> {
  try {
    const verdict = judgeVersions(await chain.contractVersions())
    if (verdict.isSupported) return
    log.error('contracts not supported: nothing is paid until svc is updated', { reason: verdict.reason })
  } catch (error) {
    // The same question is asked again before anything is paid.
    log.warn('contract versions not checked: the chain node gave no answer', { error })
  }
}
