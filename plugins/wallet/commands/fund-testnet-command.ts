import { type CommandCall, CommandError } from '#kernel'
import { claimTestAssets, type Fetch } from './faucets.ts'

const addressPattern = /^0x[0-9a-fA-F]{40}$/

export const run = createRun(fetch)

/** @param fetch replaced in tests */
export function createRun(fetch: Fetch) {
  return async ({ parameters, flags, out }: CommandCall<{ address: string }, { timeout: number }>): Promise<number> => {
    const { address } = parameters
    if (!addressPattern.test(address)) {
      throw new CommandError(`the address must be 0x and 40 hexadecimal digits, got "${address}"`, { exitCode: 2 })
    }
    const claims = await claimTestAssets({ address, timeoutMs: flags.timeout, fetch })
    const results = claims.map(({ asset, txHash, error }) => ({ faucet_info: asset, tx_hash: txHash, error }))
    const lines = claims.map(({ asset, txHash, error }) => `${asset}: ${txHash ?? `error: ${error}`}`)
    out.result({ address, results }, lines.join('\n'))
    return claims.every(({ txHash }) => txHash !== undefined) ? 0 : 1
  }
}
