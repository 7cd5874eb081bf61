// The keys of the devnet: anvil's well-known test mnemonic, never worth anything on a real chain.
import { pbkdf2Sync } from 'node:crypto'
import { type Address, type Hex, toHex } from 'viem'
import { HDKey, privateKeyToAddress } from 'viem/accounts'

const MNEMONIC = 'test test test test test test test test test test test junk'
/** BIP-39, with an empty passphrase. viem's own version of it takes 50 ms of CPU for each account. */
const SEED = { salt: 'mnemonic', iterations: 2048, bytes: 64, digest: 'sha512' } as const
const BRANCH_PATH = "m/44'/60'/0'/0"

/** Provider n (from 1) signs with the account at this index + n, so that later users can have the indexes below. */
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

let branch: HDKey | undefined
const accounts = new Map<number, DevnetAccount>()

function accountAt(index: number): DevnetAccount {
  const account = accounts.get(index) ?? deriveAccount(index)
  accounts.set(index, account)
  return account
}

function deriveAccount(index: number): DevnetAccount {
  const { salt, iterations, bytes, digest } = SEED
  branch ??= HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, salt, iterations, bytes, digest)).derive(BRANCH_PATH)
  const key = branch.deriveChild(index).privateKey
  if (key === null) throw new Error(`account ${index} has no private key`)
  const privateKey = toHex(key)
  return { address: privateKeyToAddress(privateKey), privateKey }
}
