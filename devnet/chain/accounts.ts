// The keys of the devnet: anvil's well-known test mnemonic, never worth anything on a real chain.
import { type Address, type Hex, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'

/** Provider n (from 1) signs with the account at this index + n, out of the way of users added later. */
const PROVIDER_INDEX_BASE = 100

export interface DevnetAccount {
  readonly address: Address
  readonly privateKey: Hex
}

export const deployerAccount = () => accountAt(0)

/** User n, from 1. */
export const userAccount = (position: number) => accountAt(position)

/** Provider n, from 1. */
export const providerAccount = (position: number) => accountAt(PROVIDER_INDEX_BASE + position)

function accountAt(addressIndex: number): DevnetAccount {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  const key = account.getHdKey().privateKey
  if (key === null) throw new Error(`account ${addressIndex} has no private key`)
  return { address: account.address, privateKey: toHex(key) }
}
