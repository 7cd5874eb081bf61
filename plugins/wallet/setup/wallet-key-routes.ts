import { defineRoutes, serveEndpoint } from '#kernel'
import { adminAuth, type ConfigState, configState, envName, saveConfigFile, systemState } from '#kernel/system'
import { walletErrors } from '../errors.ts'
import { saveWalletKey } from './wallet-key-api.ts'

const field = 'chain.private_key'

/** Served also in full mode, where it says that the key is set. */
export const walletKeyRoutes = defineRoutes({
  name: 'wallet-key',
  modes: ['setup', 'full'],
  uses: { adminAuth, configState, systemState },
  endpoints: [saveWalletKey],
  register(app, { adminAuth, configState, systemState }) {
    serveEndpoint(app, saveWalletKey, async ({ body, request }) => {
      if (!adminAuth.isPrivate(request.raw)) throw walletErrors.connection_not_private()
      if (systemState.mode !== 'setup') throw walletErrors.setup_complete()
      requireUnset(configState)
      const { privateKey, address } = await readKey(body.private_key)
      saveConfigFile(configState.loaded.path, { [field]: privateKey })
      return { address }
    })
  },
})

/** A key that the process started with may own data sets, also one with a typing error. One that was stored since then may be corrected. */
function requireUnset({ loaded: { raw, sources } }: Pick<ConfigState, 'loaded'>): void {
  if (['env', 'flag'].includes(sources.get(field) ?? '')) {
    throw walletErrors.wallet_key_set({ message: `${envName(field)} sets the wallet key, also an empty one: change or remove it there.` })
  }
  if ((raw.get(field) ?? '') !== '') throw walletErrors.wallet_key_set()
}

async function readKey(text: string): Promise<{ readonly privateKey: string; readonly address: string }> {
  const { openAccount } = await import('../chain/clients.ts')
  const privateKey = `0x${text.trim().replace(/^0x/i, '')}`
  const address = addressOf(privateKey, openAccount)
  if (address === undefined) throw walletErrors.wallet_key_invalid()
  return { privateKey, address }
}

function addressOf(privateKey: string, open: (key: string) => { readonly address: string }): string | undefined {
  try {
    return open(privateKey).address
  } catch {
    // I-10: the error may quote the key.
    return undefined
  }
}
