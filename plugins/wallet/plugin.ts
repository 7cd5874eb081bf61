import {
  adminRoutes,
  cliCommands,
  clock,
  configSections,
  dashboardUis,
  database,
  dbSchemas,
  definePlugin,
  defineRecovery,
  log,
  provide,
  taskRecoveries,
} from '#kernel'
import { doctorChecks } from '#kernel/system'
import { settingDefaults } from '#plugins/admin'
import { walletCommands } from './commands/commands.ts'
import { chainClient, chainSettings, funds, payerTerminations, signer, walletSetup } from './contract/services.ts'
import { walletTurn } from './services.ts'
import { chainSection, spendingSection } from './settings.ts'

/** Chain client, wallet key and payments. */
export const walletPlugin = definePlugin({
  id: 'wallet',
  provides: [
    provide(chainSettings, { settings: chainSection.settings }, ({ settings }) => settings),
    provide(chainClient, { settings: chainSection.settings }, async ({ settings }) => {
      const { openChain } = await import('./chain/clients.ts')
      const { resolveNetwork } = await import('./chain/networks.ts')
      const network = await resolveNetwork({ network: settings.network, rpcUrl: settings.rpc_url, devnetInfoPath: settings.devnet_info })
      const { rpc_urls: furtherUrls, confirmations, finality_epochs: finalityEpochs } = settings
      return openChain({ network, furtherUrls, confirmations, finalityEpochs })
    }),
    provide(signer, { settings: chainSection.settings }, async ({ settings }) => {
      const { openAccount } = await import('./chain/clients.ts')
      return openAccount(settings.private_key)
    }),
    provide(
      funds,
      { chain: chainClient, signer, clock, settings: chainSection.settings, spending: spendingSection.settings },
      async ({ spending, ...deps }) => {
        const { createFunds } = await import('./funding/funds.ts')
        const { toSpendingLimits } = await import('./chain/spending-policy.ts')
        return createFunds({ ...deps, ...toSpendingLimits(spending, deps.chain.network) })
      },
    ),
    provide(walletTurn, {}, async () => (await import('./operations/wallet-turn.ts')).createWalletTurn()),
    provide(
      payerTerminations,
      { chain: chainClient, signer, clock, log, database, turn: walletTurn, spending: spendingSection.settings },
      async ({ database, spending, ...deps }) => {
        const { createPayerTerminations } = await import('./operations/payer-terminations.ts')
        const { createOperationStore } = await import('./operations/operation-store.ts')
        const { toSpendingLimits } = await import('./chain/spending-policy.ts')
        const { fees } = toSpendingLimits(spending, deps.chain.network)
        return createPayerTerminations({ ...deps, fees, store: createOperationStore(database) })
      },
    ),
    provide(
      walletSetup,
      { chain: chainClient, signer, clock, log, database, funds, turn: walletTurn, spending: spendingSection.settings },
      async ({ database, spending, ...others }) => {
        const { createWalletSetup } = await import('./funding/wallet-setup.ts')
        const { createOperationStore } = await import('./operations/operation-store.ts')
        const { createOperationRunner } = await import('./operations/run-operation.ts')
        const { toSpendingLimits } = await import('./chain/spending-policy.ts')
        const deps = { ...others, ...toSpendingLimits(spending, others.chain.network), store: createOperationStore(database) }
        return createWalletSetup({ ...deps, runner: createOperationRunner(deps) })
      },
    ),
  ],
  contributes: [
    configSections.with(chainSection, spendingSection),
    taskRecoveries.with(
      defineRecovery({
        name: 'wallet.contract-versions',
        uses: { chain: chainClient, log },
        run: async ({ chain, log }) => {
          const { reportContracts } = await import('./readiness/report-contracts.ts')
          // In the background: the start must not wait for a chain node.
          void reportContracts(chain, log)
        },
      }),
      defineRecovery({
        name: 'wallet.unsigned-operations',
        uses: { database, clock, log },
        run: async ({ database, clock, log }) => {
          const { endUnsigned } = await import('./operations/operation-store.ts')
          const operations = await endUnsigned(database, clock.now())
          if (operations > 0) log.info('wallet operations that were never signed have failed', { operations })
        },
      }),
    ),
    adminRoutes.load(async () => {
      const { preflightRoutes, readinessRoutes } = await import('./readiness/readiness-routes.ts')
      return [preflightRoutes, readinessRoutes]
    }),
    settingDefaults.with({
      name: 'chain_rpc_urls',
      load: async () => (await import('./chain/networks.ts')).publicRpcUrls,
      field: 'chain.rpc_url',
      defaultWith: async (values) => (await import('./chain/networks.ts')).defaultRpcUrl(values),
    }),
    cliCommands.with(...walletCommands),
    dashboardUis.with({ module: new URL('./ui/index.ts', import.meta.url) }),
    doctorChecks.load(async () => (await import('./doctor/checks.ts')).walletChecks),
    dbSchemas.with({
      name: 'wallet',
      load: async () => ({ migrations: (await import('./migrations.ts')).walletMigrations }),
      entities: async () => [
        (await import('./operations/operation-entity.ts')).operationEntity,
        (await import('./operations/replaced-entity.ts')).replacedEntity,
      ],
    }),
  ],
})
