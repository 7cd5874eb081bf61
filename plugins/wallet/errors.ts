import { defineErrors } from '#kernel'

export const walletErrors = defineErrors({
  settings_invalid: { status: 400, message: 'The settings are not valid.' },
  connection_not_private: {
    status: 403,
    message:
      'The key would cross a network in clear text. Use HTTPS through a proxy of admin.trusted_proxies, or open the dashboard on this machine, as through an SSH tunnel. In a container set SVC_CHAIN_PRIVATE_KEY.',
  },
  setup_complete: { status: 409, message: 'The service is not in setup mode: its wallet is changed only in the configuration file.' },
  wallet_key_set: { status: 409, message: 'The service started with a wallet key: it is changed only in the configuration file.' },
  wallet_key_invalid: {
    status: 400,
    message: 'This is no private key: it has 64 hexadecimal digits, with or without 0x in front. Nothing was stored.',
  },
  wallet_operation_failed: { status: 409, message: 'The chain rejected the wallet operation.' },
  fee_above_limit: { status: 409, message: 'The transaction fee is above the limit in chain.spending; nothing was signed.' },
  chain_answer_implausible: { status: 503, message: 'The chain node returned an impossible value; nothing was signed.' },
  wallet_idempotency_conflict: { status: 409, message: 'The id was used for another wallet operation; nothing was changed. Use a new id.' },
  wallet_not_configured: { status: 409, message: 'The service has no wallet. Set chain.private_key and restart it.' },
  wallet_operation_undecided: {
    status: 503,
    message: 'The outcome of a wallet operation is not known yet. Try again later: it is looked up on chain, not repeated.',
  },
})
