import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'

export const saveWalletKey = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/setup/wallet-key',
  role: 'admin',
  summary: 'In setup mode: store the private key of the wallet in the configuration file; only by HTTPS or from this machine',
  audit: [],
  body: type({ private_key: 'string <= 256' }),
  requireJsonType: true,
  answer: type({
    /** Derived from the key, which is never answered. */
    address: 'string',
  }),
  refusals: ['connection_not_private', 'setup_complete', 'wallet_key_set', 'wallet_key_invalid', 'config_unwritable'],
})
