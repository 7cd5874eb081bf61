/** Routes, parts and events of replacements in a real kernel, over records that a test states. */
import {
  adminRoutes,
  clock,
  configSections,
  database,
  dbSchemas,
  definePlugin,
  eventKinds,
  events,
  log,
  metricCollectors,
  provide,
} from '#kernel'
import type { TestKernelOptions } from '#kernel/testing'
import { bucketDetailParts, overviewParts } from '#plugins/admin'
import { providers } from '#plugins/providers'
import { buckets } from '#plugins/storage'
import { dataSet } from '../../admin/testing/data-set.ts'
import { type TestAdmin, testAdmin } from '../../admin/testing/test-admin.ts'
import { bucketReplacementsPart, replacementOverview } from '../api/replacement-parts.ts'
import { replacementRoutes } from '../api/replacement-routes.ts'
import {
  type ItemState,
  itemStates,
  type Replacement,
  type ReplacementCandidate,
  type ReplacementChanges,
  type ReplacementCommand,
  type ReplacementProgress,
  type Replacements,
  replacementChanges,
  replacements,
} from '../contract.ts'
import { replacementErrors } from '../errors.ts'
import { createReplacementUpdates, replacementUpdated, replacementUpdates } from '../events/replacement-updates.ts'
import { replacementMetrics } from '../metrics/replacement-metrics.ts'
import { replacementMigrations } from '../migrations/all-migrations.ts'
import { repairRoutes } from '../repair/repair-routes.ts'
import { addDecision, type NewDecision } from '../repair/repair-store.ts'
import { repairSection } from '../settings.ts'
import { whatIfSurface } from './what-if-surface.ts'

export interface TestSurface extends TestAdmin {
  readonly records: Map<number, Replacement>
  readonly progresses: Map<number, ReplacementProgress>
  candidates: readonly ReplacementCandidate[]
  /** While set, confirmations and retries are refused with it. */
  refusal: Error | undefined
  /** Commands of confirmations so far. */
  readonly commands: ReplacementCommand[]
  /** Records a decision of the automatic repair; its members that are not given are those of a fault of provider 7 that ended. */
  decide(decision: Partial<NewDecision>): Promise<void>
  /** Says that a record changed. */
  change(id: number): void
}

/** The bucket `photos` with the data sets 1 at provider 7 and 2 at provider 8, its next generation. */
export async function testSurface({ plugins = [], config }: Partial<TestKernelOptions> = {}): Promise<TestSurface> {
  const records = new Map<number, Replacement>()
  const progresses = new Map<number, ReplacementProgress>()
  const commands: ReplacementCommand[] = []
  const listeners = new Set<(id: number) => void>()
  const state = { candidates: [] as readonly ReplacementCandidate[], refusal: undefined as Error | undefined }
  const changes: ReplacementChanges = {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const service: Replacements = {
    async confirm(command) {
      commands.push(command)
      if (state.refusal) throw state.refusal
      const known = [...records.values()].find(({ clientRequestId }) => clientRequestId === command.clientRequestId)
      if (known) return { replacement: known, isRepeat: true }
      const made = replacement({ id: records.size + 1, clientRequestId: command.clientRequestId })
      records.set(made.id, made)
      return { replacement: made, isRepeat: false }
    },
    async retry(id) {
      const found = records.get(id)
      if (!found) throw replacementErrors.replacement_not_found()
      if (state.refusal) throw state.refusal
      const resumed = { ...found, status: 'migrating', lastError: null, failureReason: null } as const
      records.set(id, resumed)
      return resumed
    },
    find: async (id) => records.get(id),
    list: async ({ bucketId, statuses, before = Number.POSITIVE_INFINITY, limit }) =>
      [...records.values()]
        .filter((one) => (bucketId ?? one.bucketId) === one.bucketId && (statuses ?? [one.status]).includes(one.status) && one.id < before)
        .sort((a, b) => b.id - a.id)
        .slice(0, limit),
    candidates: async () => state.candidates,
    progress: async ({ id, phase }) => progresses.get(id) ?? progress({ phase }),
    canRetry: async ({ status, failureReason }) =>
      (status === 'failed' && failureReason !== 'target_in_use') || status === 'cleanup_attention',
  }
  const rates = new Map([['8', 2_000_000.4]])
  const known = {
    nameOf: (id: string) => ({ '7': 'Old One', '8': 'New One' })[id],
    scoreOf: ({ providerId }: { providerId: string }) => ({
      isFailing: providerId === '9',
      upload: { bytesPerSecond: rates.get(providerId) },
    }),
  }
  const admin = await testAdmin({
    ...(config && { config }),
    plugins: [
      ...plugins,
      definePlugin({ id: 'providers', provides: [provide(providers, {}, () => known as never)] }),
      definePlugin({
        id: 'replacement',
        requires: ['replication', 'storage', 'providers'],
        provides: [
          provide(replacements, {}, () => service),
          provide(replacementChanges, {}, () => changes),
          provide(replacementUpdates, { replacements, changes: replacementChanges, buckets, events, clock, log }, createReplacementUpdates),
        ],
        contributes: [
          configSections.with(repairSection),
          adminRoutes.with(replacementRoutes, repairRoutes, whatIfSurface),
          overviewParts.with(replacementOverview),
          bucketDetailParts.with(bucketReplacementsPart),
          eventKinds.with(replacementUpdated),
          metricCollectors.with(...replacementMetrics),
          dbSchemas.with({ name: 'replacement', load: async () => ({ migrations: replacementMigrations }) }),
        ],
      }),
    ],
  })
  await admin.call('POST', '/api/v1/buckets', { name: 'photos', owner_access_key: '__internal_root__' })
  admin.storage.addDataSet(dataSet())
  admin.storage.addDataSet(dataSet({ id: 2, generation: 2, isCurrent: false, providerId: '8', dataSetId: null, status: 'creating' }))
  return {
    ...admin,
    records,
    progresses,
    commands,
    get candidates() {
      return state.candidates
    },
    set candidates(found) {
      state.candidates = found
    },
    get refusal() {
      return state.refusal
    },
    set refusal(error) {
      state.refusal = error
    },
    decide: (decision) =>
      admin.kernel.get(database).write((tx) =>
        addDecision(tx, {
          atMs: Date.now(),
          action: 'left_alone',
          signal: 'provider_down',
          reason: 'recovered',
          message: 'the fault ended by itself',
          providerId: '7',
          bucketId: 1,
          bucketName: 'photos',
          dataSetId: 1,
          slot: 0,
          sinceMs: Date.now() - 86_400_000,
          replacementId: null,
          fee: null,
          lost: null,
          ...decision,
        }),
      ),
    change(id) {
      for (const listener of listeners) listener(id)
    },
  }
}

/** One that was just confirmed. */
export const replacement = (changes: Partial<Replacement> = {}): Replacement => ({
  id: 1,
  bucketId: 1,
  slot: 0,
  origin: 'operator',
  mode: 'automatic',
  clientRequestId: 'request',
  requestedProviderId: null,
  sourceId: 1,
  targetId: 2,
  providerId: '8',
  status: 'preparing_target',
  phase: 'prepare',
  waitReason: null,
  waitMessage: null,
  lastError: null,
  failureReason: null,
  supersededById: null,
  takenOverAtMs: null,
  terminationEpoch: null,
  createdAtMs: 0,
  updatedAtMs: 0,
  finishedAtMs: null,
  ...changes,
})

export const progress = ({
  byState = {},
  ...changes
}: Partial<Omit<ReplacementProgress, 'byState'>> & { readonly byState?: Partial<Record<ItemState, number>> } = {}): ReplacementProgress => {
  const counts = { ...(Object.fromEntries(itemStates.map((state) => [state, 0])) as Record<ItemState, number>), ...byState }
  const processed = counts.copied + counts.no_longer_needed
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { phase: 'prepare', isSeeded: false, total, byState: counts, processed, percent: undefined, nextRetryAtMs: null, ...changes }
}
