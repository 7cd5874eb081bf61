import { adminRoutes, cliCommands, clock, configSections, database, dbSchemas, definePlugin, log, provide } from '#kernel'
import { settingDefaults } from '#plugins/admin'
import { walletCommands } from './commands/commands.ts'
import { chainClient, chainSettings, funds, signer, walletSetup } from './contract.ts'
import { createFunds } from './funding/funds.ts'
import { createWalletSetup } from './funding/wallet-setup.ts'
import { createOperationStore } from './operations/operation-store.ts'
import { createOperationRunner } from './operations/run-operation.ts'
import { preflightRoutes, readinessRoutes } from './readiness/readiness-routes.ts'
import { chainSection, observabilitySection } from './settings.ts'

/** The chain, the key that pays, and the money. */
export const walletPlugin = definePlugin({
  id: 'wallet',
  provides: [
    provide(chainSettings, { settings: chainSection.settings }, ({ settings }) => settings),
    provide(chainClient, { settings: chainSection.settings }, async ({ settings }) => {
      const { openChain } = await import('./chain/clients.ts')
      const { resolveNetwork } = await import('./chain/networks.ts')
      const network = await resolveNetwork({ network: settings.network, rpcUrl: settings.rpc_url, devnetInfoPath: settings.devnet_info })
      return openChain({ network, confirmations: settings.confirmations, finalityEpochs: settings.finality_epochs })
    }),
    provide(signer, { settings: chainSection.settings }, async ({ settings }) => {
      const { openAccount } = await import('./chain/clients.ts')
      return openAccount(settings.private_key)
    }),
    provide(funds, { chain: chainClient, signer, clock }, createFunds),
    provide(walletSetup, { chain: chainClient, signer, clock, log, database, funds }, ({ database, ...doors }) => {
      const store = createOperationStore(database)
      return createWalletSetup({ ...doors, store, runner: createOperationRunner({ ...doors, store }) })
    }),
  ],
  contributes: [
    configSections.with(chainSection, observabilitySection),
    adminRoutes.with(preflightRoutes, readinessRoutes),
    settingDefaults.with({ name: 'chain_rpc_urls', load: async () => (await import('./chain/networks.ts')).publicRpcUrls }),
    cliCommands.with(...walletCommands),
    dbSchemas.with({ name: 'wallet', load: async () => ({ migrations: (await import('./migrations.ts')).walletMigrations }) }),
  ],
})
