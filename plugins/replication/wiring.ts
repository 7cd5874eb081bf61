/** Creates the services of this plugin. Heavy modules are imported when their service is created. */
import { clock, database, events, log, provide, taskChanges, taskQueue } from '#kernel'
import { contributions, workerSection } from '#kernel/system'
import { cachedContents, contents, versions } from '#plugins/storage'
import { chainClient, chainSettings, funds, signer, walletOperations } from '#plugins/wallet'
import { placements, providerFactSources, providerFacts } from './contract.ts'
import { parkConcurrency } from './copies/ingress/park-task.ts'
import { storeNotifier } from './copies/placing/store-notifier.ts'
import { storeConcurrency } from './copies/placing/store-task.ts'
import { createPlacements } from './copies/views/placements.ts'
import { createUploadEvents } from './copies/views/upload-events.ts'
import { createProviderFacts } from './datasets/provider-facts.ts'
import { createPace } from './pace.ts'
import { pipeline } from './pipeline.ts'
import { createSchedule } from './schedule.ts'
import { pieceCalculator, providers, remoteReader, states, uploadEvents, uploadMeter } from './services.ts'
import { createStates } from './states/states.ts'
import { createUploadMeter } from './upload-meter.ts'

export const replicationServices = [
  provide(uploadEvents, { database, clock, events, taskChanges, log, queue: taskQueue }, createUploadEvents),
  provide(uploadMeter, { clock, uploadEvents }, (uses) => createUploadMeter(uses.clock, uses.uploadEvents.progressed)),
  provide(pieceCalculator, {}, async () => {
    const { createPieceCalculator } = await import('./pieces/piece-calculator.ts')
    return createPieceCalculator()
  }),
  provide(providerFacts, { contributions }, ({ contributions }) => createProviderFacts(() => contributions.to(providerFactSources))),
  provide(
    providers,
    { chain: chainClient, clock, log, settings: chainSettings, worker: workerSection.settings, facts: providerFacts },
    async ({ settings, worker, ...deps }) => {
      const { createProviders } = await import('./datasets/providers.ts')
      const slots = {
        store: Math.min(storeConcurrency, worker.concurrency),
        lookup: Math.min(parkConcurrency, worker.concurrency),
        mutation: Math.min(worker.provider_mutation_concurrency, worker.concurrency),
        removal: Math.min(worker.destructive_mutation_concurrency, worker.concurrency),
      }
      return createProviders({ ...deps, slots, egress: { allowPrivateNetworks: settings.allow_private_networks } })
    },
  ),
  provide(remoteReader, { database, clock, log, providers }, async (deps) => {
    const { createRemoteReader } = await import('./remote-reads/read-remote.ts')
    return createRemoteReader(deps)
  }),
  provide(
    states,
    { clock, log, events, queue: taskQueue, chain: chainClient, funds, uploadEvents, contents, cached: cachedContents },
    ({ queue, chain, ...deps }) =>
      createStates({ ...deps, schedule: createSchedule(queue), pace: createPace(chain.network.epochSeconds * 1000) }),
  ),
  provide(
    pipeline,
    {
      database,
      clock,
      log,
      events,
      queue: taskQueue,
      chain: chainClient,
      signer,
      funds,
      walletOperations,
      states,
      settings: chainSettings,
      providers,
      pieces: pieceCalculator,
      uploads: uploadMeter,
      uploadEvents,
      contents,
      cached: cachedContents,
    },
    async ({ queue, ...deps }) => {
      const { openWarmStorageReads } = await import('./chain/warm-storage-reads.ts')
      const schedule = createSchedule(queue)
      return {
        ...deps,
        schedule,
        notifyStore: storeNotifier({ ...deps, schedule }),
        reads: openWarmStorageReads(deps.chain),
        pace: createPace(deps.chain.network.epochSeconds * 1000),
        // Outside a run no attempts are counted.
        progressed() {},
      }
    },
  ),
  provide(placements, { database, clock, queue: taskQueue, uploads: uploadMeter, providers, versions }, ({ providers, ...deps }) =>
    createPlacements({
      ...deps,
      pieceUrl: (serviceUrl, pieceCid) => providers.client(serviceUrl).pieceUrl(pieceCid),
      providerName: (providerId) => providers.nameOf(providerId),
    }),
  ),
] as const
