import { defineErrors } from '#kernel'

export const walletErrors = defineErrors({
  settings_invalid: { status: 400, message: 'The settings are not valid.' },
  wallet_operation_failed: { status: 409, message: 'The chain refused the wallet operation.' },
  fee_above_limit: { status: 409, message: 'The fee of the transaction is above the limit of chain.spending; nothing was signed.' },
  chain_answer_implausible: { status: 503, message: 'The chain node gave an answer that cannot be true; nothing was signed.' },
  wallet_operation_undecided: {
    status: 503,
    message: 'The outcome of a wallet operation is not known yet; it is looked up, not repeated.',
  },
})
