import { adminFlags, watchFlag } from '#cli'
import { defineCommand, type FlagSpec } from '#kernel'

const json = { type: 'switch', description: 'Print the result as JSON, alone on standard output' } as const satisfies FlagSpec
const confirmation = { type: 'duration', description: 'Timeout for the confirmation', default: '5m' } as const satisfies FlagSpec

const request = {
  ...adminFlags,
  wait: { type: 'switch', description: 'Show the progress until the operation has its final outcome' },
  requestId: { type: 'text', description: 'Id of an earlier run of this command, which may have been interrupted: it is paid once' },
} as const satisfies Readonly<Record<string, FlagSpec>>

/** Commands of the wallet and the chain. Those without `admin` work without a running service. */
export const walletCommands = [
  defineCommand({
    name: 'wallet generate',
    summary: 'Generate a wallet and print its address and private key',
    examples: [['svc wallet generate', 'The key is not stored: put it into chain.private_key or SVC_CHAIN_PRIVATE_KEY']],
    flags: { json },
    load: () => import('./generate-command.ts'),
  }),
  defineCommand({
    name: 'wallet fund-testnet',
    summary: 'Claim test USDFC and test FIL from the faucets of the calibration network',
    examples: [['svc wallet fund-testnet 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc', 'The address printed by svc wallet generate']],
    parameters: ['<address>'],
    flags: { json, timeout: { type: 'duration', description: 'Timeout for one faucet', default: '120s' } },
    load: () => import('./fund-testnet-command.ts'),
  }),
  defineCommand({
    name: 'wallet deposit',
    summary: 'Deposit USDFC of the configured wallet for storage, and approve the storage service if needed',
    examples: [['svc wallet deposit 5', 'Deposit 5 USDFC']],
    parameters: ['<amount>'],
    flags: { json, timeout: confirmation },
    load: () => import('./deposit-command.ts'),
  }),
  defineCommand({
    name: 'wallet approve',
    summary: 'Approve the storage service to charge the payment account, within the limits of chain.spending',
    examples: [['svc wallet approve', 'Raise or lower every allowance to its limit']],
    flags: { json, timeout: confirmation },
    load: () => import('./approve-command.ts'),
  }),
  defineCommand({
    name: 'admin wallet status',
    summary: 'Show how long the deposit lasts, the balances, the payment account and the approval of the wallet',
    examples: [['svc admin wallet status', 'The runway first, and the deposit that buys 90 more days']],
    flags: adminFlags,
    load: () => import('./wallet-status-command.ts'),
  }),
  defineCommand({
    name: 'admin wallet operations',
    summary: 'List deposits, withdrawals and approvals, newest first',
    examples: [['svc admin wallet operations --watch', 'Follow them until Ctrl-C']],
    flags: {
      ...adminFlags,
      limit: { type: 'number', min: 1, max: 100, description: 'Operations to show, 1 to 100; default 20' },
      watch: watchFlag,
    },
    load: () => import('./wallet-operations-command.ts'),
  }),
  defineCommand({
    name: 'admin wallet fund',
    summary: 'Let the service deposit USDFC of its wallet, and approve the storage service if needed',
    examples: [['svc admin wallet fund 5 --wait', 'Deposit 5 USDFC and show the progress']],
    parameters: ['<amount>'],
    flags: request,
    load: async () => ({ run: (await import('./request-operation.ts')).fund }),
  }),
  defineCommand({
    name: 'admin wallet withdraw',
    summary: 'Let the service withdraw USDFC from the payment account to its wallet',
    examples: [
      ['svc admin wallet withdraw 2.5', 'Withdraw 2.5 USDFC'],
      ['svc admin wallet withdraw max --wait', 'Withdraw what is neither locked nor needed in the next minutes'],
    ],
    parameters: ['<amount>'],
    flags: request,
    load: async () => ({ run: (await import('./request-operation.ts')).withdraw }),
  }),
  defineCommand({
    name: 'admin wallet approve',
    summary: 'Let the service set the allowances of the storage service to the limits of chain.spending',
    examples: [['svc admin wallet approve --wait', 'Confirmed without a transaction when the approval is in place']],
    flags: request,
    load: async () => ({ run: (await import('./request-operation.ts')).approve }),
  }),
  defineCommand({
    name: 'admin readiness',
    summary: 'Check whether the running service can store: key, network, balances, providers, deposit and approval',
    examples: [['svc admin readiness', 'With the next step of each check; exit code 1 when it cannot store']],
    flags: adminFlags,
    load: () => import('./readiness-command.ts'),
  }),
]
