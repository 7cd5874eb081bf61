import { randomBytes } from 'node:crypto'
import type { CommandCall } from '#kernel'
import { openAccount } from '../chain/clients.ts'

/** The key is written to standard output only. */
export async function run({ out }: CommandCall): Promise<undefined> {
  const privateKey = `0x${randomBytes(32).toString('hex')}`
  const { address } = openAccount(privateKey)
  out.result({ address, private_key: privateKey }, `Address: ${address}\nPrivate key: ${privateKey}`)
}
