import { cliCommands, definePlugin } from '#kernel'
import { usableProviders } from '#plugins/wallet'
import { providerCommands } from './commands/commands.ts'

/** Storage providers: who they are, how to call them, and what the chain says about their data sets. */
export const providersPlugin = definePlugin({
  id: 'providers',
  requires: ['wallet'],
  provides: async () => (await import('./wiring.ts')).providerServices,
  contributes: [
    usableProviders.load(async () => (await import('./inventory/count-usable-providers.ts')).countUsableProviders),
    cliCommands.with(...providerCommands),
  ],
})
