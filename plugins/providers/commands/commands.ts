import { defineCommand } from '#kernel'

/** They work without a running service. */
export const providerCommands = [
  defineCommand({
    name: 'provider list',
    summary: 'List the storage providers registered on the network and check whether they respond',
    examples: [
      ['svc provider list --active', 'Only active providers'],
      ['svc provider list --network mainnet --no-health --json', 'Another network, without health checks'],
    ],
    flags: {
      json: { type: 'switch', description: 'Print the result as JSON, alone on standard output' },
      active: { type: 'switch', description: 'Only active providers' },
      rpcUrl: { type: 'text', description: 'Chain node; default: SVC_CHAIN_RPC_URL, chain.rpc_url, then the public node of the network' },
      network: {
        type: ['calibration', 'mainnet', 'devnet'],
        description: 'Network; default: SVC_CHAIN_NETWORK, chain.network, then calibration',
      },
      timeout: { type: 'duration', description: 'Timeout for one provider', default: '5s' },
      noHealth: { type: 'switch', description: 'Skip the health checks' },
    },
    load: () => import('./provider-list-command.ts'),
  }),
]
