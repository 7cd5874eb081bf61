/** Reads the rails that are paid from an account. */
import { type Address, parseAbi } from 'viem'
import type { Chain } from '#plugins/wallet'

const railsAbi = parseAbi([
  'struct RailInfo { uint256 railId; bool isTerminated; uint256 endEpoch; }',
  'struct RailView { address token; address from; address to; address operator; address validator; uint256 paymentRate; uint256 lockupPeriod; uint256 lockupFixed; uint256 settledUpTo; uint256 endEpoch; uint256 commissionRateBps; address serviceFeeRecipient; }',
  'function getRailsForPayerAndToken(address payer, address token, uint256 offset, uint256 limit) view returns (RailInfo[] results, uint256 nextOffset, uint256 total)',
  'function getRail(uint256 railId) view returns (RailView rail)',
])

/** Amounts in 10^-18 USDFC. */
export interface Rail {
  readonly id: bigint
  /** Per epoch. */
  readonly rate: bigint
  readonly lockupPeriod: bigint
  readonly lockupFixed: bigint
  readonly settledUpTo: bigint
  /** 0: it runs. */
  readonly endEpoch: bigint
}

const railsPerPage = 1000n
/** Also the finished rails of the account count. */
const railPagesMax = 200n
/** Reads that are sent at the same time; the chain client combines them. */
const railsAtOnce = 500

/** All rails of the account that are not finished, at an epoch. @throws ChainUnreachable */
export async function readRails(chain: Chain, payer: Address, epoch: bigint): Promise<readonly Rail[]> {
  const { filecoinPay, usdfc } = chain.network.contracts
  const pay = { address: filecoinPay, abi: railsAbi } as const
  const read = chain.readAt(epoch)
  const ids: bigint[] = []
  for (let page = 0n, offset = 0n, total = 1n; offset < total && page < railPagesMax; page++) {
    const args = [payer, usdfc, offset, railsPerPage] as const
    const [infos, nextOffset, count] = await read({ ...pay, functionName: 'getRailsForPayerAndToken', args })
    ids.push(...infos.map(({ railId }) => railId))
    // A node that repeats an offset ends the loop.
    if (nextOffset <= offset) break
    ;[offset, total] = [nextOffset, count]
  }
  const rails: Rail[] = []
  for (let at = 0; at < ids.length; at += railsAtOnce) {
    const page = ids.slice(at, at + railsAtOnce)
    const views = await Promise.all(page.map((id) => read({ ...pay, functionName: 'getRail', args: [id] })))
    rails.push(
      ...views.map(({ paymentRate, lockupPeriod, lockupFixed, settledUpTo, endEpoch }, index) => ({
        id: page[index] ?? 0n,
        rate: paymentRate,
        lockupPeriod,
        lockupFixed,
        settledUpTo,
        endEpoch,
      })),
    )
  }
  return rails
}
