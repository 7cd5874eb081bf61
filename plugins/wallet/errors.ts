import { defineErrors } from '#kernel'

export const walletErrors = defineErrors({
  settings_invalid: { status: 400, message: 'The settings are not valid.' },
  wallet_operation_failed: { status: 409, message: 'The chain refused the wallet operation.' },
  wallet_operation_undecided: {
    status: 503,
    message: 'The outcome of a wallet operation is not known yet; it is looked up, not repeated.',
  },
})
