/** Wallet operations in words. Pure. */
import type { Answer, IconName, Tone } from '@svc/ui-kit'

export type Operation = Answer<'GET /wallet/operations'>['operations'][number]

export const typeWords: Readonly<Record<Operation['type'], readonly [icon: IconName, word: string]>> = {
  fund: ['arrow-down', 'Deposit'],
  withdraw: ['arrow-up', 'Withdrawal'],
  approve: ['shield-check', 'Approval'],
}

export const statusWords: Readonly<Record<Operation['status'], readonly [tone: Tone, word: string]>> = {
  pending: ['neutral', 'Waiting'],
  submitted: ['info', 'Sent'],
  confirmed: ['success', 'Confirmed'],
  failed: ['danger', 'Failed'],
  unknown: ['warning', 'Uncertain'],
}

/** What happens with it now, or how it ended. */
export function describeState({ status, started_at, tx_hash, last_error }: Operation): string {
  if (last_error !== undefined) return last_error
  if (status === 'pending') return started_at === undefined ? 'Waits for its turn: the wallet sends one at a time.' : 'Is being signed.'
  if (status === 'submitted') return 'Waits until enough blocks follow its transaction.'
  if (status === 'unknown') return 'Its outcome is looked up on chain; it is not sent again.'
  if (status === 'failed') return 'It had no effect.'
  return tx_hash === undefined ? 'Was in place already: no transaction was needed.' : 'Is on chain.'
}

const explorers: Readonly<Record<number, string>> = {
  314: 'https://filecoin.blockscout.com',
  314159: 'https://filecoin-testnet.blockscout.com',
}

/** Where a person looks at the transaction; undefined for networks without a public explorer. */
export function explorerHref(chainId: number | undefined, hash: string): string | undefined {
  const explorer = chainId === undefined ? undefined : explorers[chainId]
  return explorer === undefined || !/^0x[0-9a-f]{64}$/i.test(hash) ? undefined : `${explorer}/tx/${hash}`
}

export const listSizes = ['10', '20', '50', '100'] as const

/** A size that the list offers. */
export const readListSize = (text: string): string => listSizes.find((size) => size === text) ?? listSizes[0]
