import { adminFlags, defineCommand, type FlagSpec } from '#kernel'

const json = { type: 'switch', description: 'Print the result as JSON, alone on standard output' } satisfies FlagSpec
const confirmation = { type: 'duration', description: 'Longest wait for the confirmation', default: '5m' } satisfies FlagSpec

/** Commands of the wallet and the chain. They need no running service. */
export const walletCommands = [
  defineCommand({
    name: 'wallet generate',
    summary: 'Make a new wallet and print its address and private key',
    examples: [['svc wallet generate', 'Put the key into chain.private_key or SVC_CHAIN_PRIVATE_KEY; nothing keeps it']],
    flags: { json },
    load: () => import('./generate-command.ts'),
  }),
  defineCommand({
    name: 'wallet fund-testnet',
    summary: 'Claim test tokens and test gas money from the faucets of the calibration network',
    examples: [['svc wallet fund-testnet 0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc', 'The address that svc wallet generate printed']],
    parameters: ['<address>'],
    flags: { json, timeout: { type: 'duration', description: 'Longest wait for one faucet', default: '120s' } },
    load: () => import('./fund-testnet-command.ts'),
  }),
  defineCommand({
    name: 'wallet deposit',
    summary: 'Deposit USDFC of the configured wallet for storage, and approve the storage service where needed',
    examples: [['svc wallet deposit 5', 'Five USDFC']],
    parameters: ['<amount>'],
    flags: { json, timeout: confirmation },
    load: () => import('./deposit-command.ts'),
  }),
  defineCommand({
    name: 'wallet approve',
    summary: 'Let the storage service charge the payment account of the configured wallet, within the limits of chain.spending',
    examples: [['svc wallet approve', 'Raises or lowers every allowance to its limit; does nothing when they are the same']],
    flags: { json, timeout: confirmation },
    load: () => import('./approve-command.ts'),
  }),
  defineCommand({
    name: 'provider list',
    summary: 'List the storage providers registered on the network and whether they answer',
    examples: [
      ['svc provider list --active', 'Those that offer storage now'],
      ['svc provider list --network mainnet --no-health --json', 'Of another network, without asking the providers'],
    ],
    flags: {
      json,
      active: { type: 'switch', description: 'Only active providers' },
      rpcUrl: { type: 'text', description: 'Chain node to ask; else SVC_CHAIN_RPC_URL, chain.rpc_url, the public node of the network' },
      network: {
        type: ['calibration', 'mainnet', 'devnet'],
        description: 'Network to look at; else SVC_CHAIN_NETWORK, chain.network, calibration',
      },
      timeout: { type: 'duration', description: 'Longest wait for one provider', default: '5s' },
      noHealth: { type: 'switch', description: 'Do not ask the providers' },
    },
    load: () => import('./provider-list-command.ts'),
  }),
  defineCommand({
    name: 'admin readiness',
    summary: 'Check whether the running service can store: key, network, balances, providers, deposit and approval',
    examples: [['svc admin readiness', 'With the next step of each check; exit code 1 when it cannot store']],
    flags: adminFlags,
    load: () => import('./readiness-command.ts'),
  }),
]
