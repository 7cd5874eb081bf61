/** Creates the services of this plugin. */
import { clock, database, log, provide, taskQueue } from '#kernel'
import { providers } from '#plugins/providers'
import { replicaSlots } from '#plugins/replication'
import { chainClient } from '#plugins/wallet'
import { replacementChanges, replacements } from './contract.ts'
import { engine } from './engine/engine.ts'
import { createReplacements } from './requests/replacements.ts'
import { changesSource, replacementStates } from './services.ts'
import { replacementSection } from './settings.ts'
import { createReplacementChanges, createReplacementStates } from './states/replacement-states.ts'

/** Longest time until a step looks again; shorter on a chain with short epochs. */
const pollMsMax = 5000

export const replacementServices = [
  provide(changesSource, { log }, ({ log }) => createReplacementChanges(log)),
  provide(replacementChanges, { changes: changesSource }, ({ changes }) => changes),
  provide(replacementStates, { clock, log, changes: changesSource }, createReplacementStates),
  provide(
    engine,
    {
      database,
      clock,
      log,
      queue: taskQueue,
      slots: replicaSlots,
      states: replacementStates,
      settings: replacementSection.settings,
      chain: chainClient,
    },
    ({ chain, ...deps }) => ({ ...deps, pollMs: Math.min(pollMsMax, (chain.network.epochSeconds * 1000) / 2) }),
  ),
  provide(
    replacements,
    { database, clock, queue: taskQueue, slots: replicaSlots, providers, states: replacementStates },
    createReplacements,
  ),
] as const
