import { cliCommands, configSections, dbSchemas, definePlugin, taskKinds, taskLanes, taskRecoveries, taskSchedules } from '#kernel'
import { providerKnowledge, usableProviders } from '#plugins/wallet'
import { providerCommands } from './commands/commands.ts'
import { laneSection, lanes, observabilitySection, samplesSection } from './contract/settings.ts'

/** Storage providers: who they are, how to call them, and what the chain says about their data sets. */
export const providersPlugin = definePlugin({
  id: 'providers',
  requires: ['wallet'],
  provides: async () => (await import('./wiring.ts')).providerServices,
  contributes: [
    configSections.with(laneSection, observabilitySection, samplesSection),
    taskLanes.with(...lanes),
    dbSchemas.with({
      name: 'providers',
      load: async () => ({ migrations: (await import('./migrations.ts')).providerMigrations }),
      entities: async () => [
        (await import('./inventory/inventory-entity.ts')).inventoryEntity,
        (await import('./inventory/read-entity.ts')).readEntity,
        (await import('./scores/measures-entity.ts')).measuresEntity,
      ],
    }),
    taskKinds.load(async () => (await import('./inventory/refresh-inventory-task.ts')).refreshInventoryTask),
    taskSchedules.load(async () => (await import('./inventory/refresh-inventory-task.ts')).inventorySchedule),
    taskRecoveries.load(async () => (await import('./inventory/refresh-inventory-task.ts')).inventoryRecovery),
    usableProviders.load(async () => (await import('./inventory/usable-providers.ts')).usableByChain),
    providerKnowledge.load(async () => (await import('./inventory/usable-providers.ts')).silentProviders),
    cliCommands.with(...providerCommands),
  ],
})
