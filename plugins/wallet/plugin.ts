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
  eventKinds,
  events,
  log,
  metricCollectors,
  provide,
  taskKinds,
  taskQueue,
  taskRecoveries,
} from '#kernel'
import { configState, doctorChecks, settingDefaults } from '#kernel/system'
import { walletCommands } from './commands/commands.ts'
import { chainClient, chainSettings, funds, signer, walletAccount, walletOperations, walletSetup } from './contract/services.ts'
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
    provide(walletAccount, { chain: chainClient, signer, clock }, async (deps) => {
      const { createWalletAccount } = await import('./account/wallet-account.ts')
      return createWalletAccount(deps)
    }),
    provide(
      walletOperations,
      {
        chain: chainClient,
        signer,
        clock,
        log,
        database,
        queue: taskQueue,
        config: configState,
        events,
        funds,
        account: walletAccount,
        spending: spendingSection.settings,
      },
      async (deps) => (await import('./operations/open-operations.ts')).openOperations(deps),
    ),
    provide(walletSetup, { chain: chainClient, signer, database, operations: walletOperations, funds, clock }, async (deps) => {
      const { createWalletSetup } = await import('./funding/wallet-setup.ts')
      return createWalletSetup(deps)
    }),
  ],
  contributes: [
    configSections.with(chainSection, spendingSection),
    taskRecoveries.with(
      defineRecovery({
        name: 'wallet.contract-versions',
        uses: { chain: chainClient, log },
        run: async ({ chain, log }) => {
          const { reportContracts } = await import('./readiness/report-contracts.ts')
          // Runs in the background: the start must not wait for a chain node.
          void reportContracts(chain, log)
        },
      }),
      defineRecovery({
        name: 'wallet.operations',
        uses: { database, queue: taskQueue },
        run: async ({ database, queue }) => {
          const { recoverOperations } = await import('./operations/operation-store.ts')
          const { scheduleOperation } = await import('./operations/operation-task.ts')
          await recoverOperations({ database, schedule: scheduleOperation(queue) })
        },
      }),
    ),
    taskKinds.load(async () => (await import('./operations/operation-task.ts')).operationTask),
    adminRoutes.load(async () => {
      const { preflightRoutes, readinessRoutes } = await import('./readiness/readiness-routes.ts')
      return [preflightRoutes, readinessRoutes]
    }),
    adminRoutes.load(
      async () => (await import('./setup/wallet-key-routes.ts')).walletKeyRoutes,
      async () => (await import('./account/account-routes.ts')).accountRoutes,
      async () => (await import('./operations/operations-routes.ts')).operationRoutes,
    ),
    eventKinds.load(async () => (await import('./operations/describe-operation.ts')).walletOperationUpdated),
    metricCollectors.load(async () => (await import('./operations/operation-metric.ts')).operationMetric),
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
