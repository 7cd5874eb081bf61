import { adminFlags } from '#cli'
import { defineCommand, type FlagSpec } from '#kernel'

const json = { type: 'switch', description: 'Print the result as JSON, alone on standard output' } as const satisfies FlagSpec
const confirmation = { type: 'duration', description: 'Timeout for the confirmation', default: '5m' } as const satisfies FlagSpec

/** Commands of the wallet and the chain. They work without a running service. */
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
    name: 'admin readiness',
    summary: 'Check whether the running service can store: key, network, balances, providers, deposit and approval',
    examples: [['svc admin readiness', 'With the next step of each check; exit code 1 when it cannot store']],
    flags: adminFlags,
    load: () => import('./readiness-command.ts'),
  }),
]
