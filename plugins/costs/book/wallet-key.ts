import type { Chain, Signer } from '#plugins/wallet'

/** The account whose money is counted: another key or chain has rows of its own. */
export const walletKey = ({ network }: Pick<Chain, 'network'>, { address }: Pick<Signer, 'address'>): string =>
  `${network.chainId}-${address.toLowerCase()}`
