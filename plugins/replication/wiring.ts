/** Creates the services of this plugin. Heavy modules are imported when their service is created. */

import { clock, database, events, log, provide, taskQueue } from '#kernel'
import { taskChanges } from '#kernel/system'
import { providers, warmStorageReads } from '#plugins/providers'
import { cachedContents, contents, packs, versions } from '#plugins/storage'
import { chainClient, chainSettings, funds, signer, walletOperations } from '#plugins/wallet'
import { copyChecks, finalCopies, paidWork, placements, providerDependences, replicaSlots, standings, workSubjects } from './contract.ts'
import { storeNotifier } from './copies/placing/store-notifier.ts'
import { countFinalCopies } from './copies/views/final-copies-store.ts'
import { createPlacements } from './copies/views/placements.ts'
import { createUploadEvents } from './copies/views/upload-events.ts'
import { createPace } from './pace.ts'
import { pipeline } from './pipeline.ts'
import { createSchedule } from './schedule.ts'
import { commitCounts, paidCallCounts, pieceCalculator, remoteReader, states, uploadEvents, uploadMeter } from './services.ts'
import { createReplicaSlots } from './slots/replica-slots.ts'
import { createPaidCallCounts } from './spending/paid-call-counts.ts'
import { createStandings } from './standing/standings.ts'
import { CommitCounts } from './states/commit-counts.ts'
import { createStates } from './states/states.ts'
import { createUploadMeter } from './upload-meter.ts'

export const replicationServices = [
  provide(uploadEvents, { database, clock, events, taskChanges, log, queue: taskQueue }, createUploadEvents),
  provide(uploadMeter, { clock, uploadEvents }, (uses) => createUploadMeter(uses.clock, uses.uploadEvents.progressed)),
  provide(pieceCalculator, {}, async () => {
    const { createPieceCalculator } = await import('./pieces/piece-calculator.ts')
    return createPieceCalculator()
  }),
  provide(commitCounts, {}, () => new CommitCounts()),
  provide(paidCallCounts, { database, clock }, createPaidCallCounts),
  provide(
    states,
    {
      clock,
      log,
      events,
      queue: taskQueue,
      chain: chainClient,
      funds,
      uploadEvents,
      contents,
      cached: cachedContents,
      committed: commitCounts,
    },
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
      calls: paidCallCounts,
      providers,
      reads: warmStorageReads,
      pieces: pieceCalculator,
      uploads: uploadMeter,
      uploadEvents,
      contents,
      cached: cachedContents,
    },
    ({ queue, ...deps }) => {
      const schedule = createSchedule(queue)
      return {
        ...deps,
        schedule,
        notifyStore: storeNotifier({ ...deps, schedule }),
        pace: createPace(deps.chain.network.epochSeconds * 1000),
        // No attempts are counted outside a run.
        progressed() {},
      }
    },
  ),
  provide(paidWork, { database, clock, calls: paidCallCounts, funds, settings: chainSettings }, async (deps) =>
    (await import('./spending/paid-work.ts')).createPaidWork(deps),
  ),
  provide(replicaSlots, { pipeline }, ({ pipeline }) => createReplicaSlots(pipeline)),
  provide(providerDependences, { clock, database }, async (deps) => {
    const { createProviderDependences } = await import('./copies/views/provider-dependences.ts')
    return createProviderDependences(deps)
  }),
  provide(standings, { pipeline }, ({ pipeline }) => createStandings(pipeline)),
  provide(remoteReader, { database, clock, log, providers, states, uploadEvents }, async (deps) => {
    const { createRemoteReader } = await import('./remote-reads/read-remote.ts')
    const { suspectCopy } = await import('./standing/report-copy.ts')
    return createRemoteReader({ ...deps, suspect: (denial) => suspectCopy(deps, denial) })
  }),
  provide(copyChecks, { pipeline }, async ({ pipeline }) => {
    const { createCopyChecks } = await import('./remote-reads/copy-checks.ts')
    return createCopyChecks(pipeline)
  }),
  provide(workSubjects, { database, providers }, async ({ database, providers }) => {
    const { createWorkSubjects } = await import('./shortfall/work-subjects.ts')
    return createWorkSubjects({ database, providerName: (providerId) => providers.nameOf(providerId) })
  }),
  provide(finalCopies, {}, () => ({ count: countFinalCopies })),
  provide(placements, { database, clock, queue: taskQueue, uploads: uploadMeter, providers, versions, packs }, ({ providers, ...deps }) =>
    createPlacements({
      ...deps,
      pieceUrl: (serviceUrl, pieceCid) => providers.client(serviceUrl).pieceUrl(pieceCid),
      providerName: (providerId) => providers.nameOf(providerId),
    }),
  ),
] as const
